package drover.system.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The keys of log lines: those that the documentation lists, and those that the programs write. */
final class LogKeys {
    private static final Path OPERATIONS = Path.of("..", "docs", "operations.md");
    private static final Pattern SECTION =
            Pattern.compile("(?ms)^### Keys of log lines$(.*?)^##+ ");
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\| [^|]+ \\|$");

    private static final Pattern LINE =
            Pattern.compile("\\bLOG\\s*\\.\\s*(?:error|warn|info|debug|trace)\\(");
    private static final Pattern TEXT = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern KEY = Pattern.compile("(\\w+)=");

    private LogKeys() {}

    /**
     * What one statement writes.
     *
     * @param source its file
     */
    record Line(Path source, Set<String> keys) {}

    /** In the order of the table, so that a key that stands there twice is seen. */
    static List<String> documented() throws IOException {
        String section =
                SECTION.matcher(Files.readString(OPERATIONS))
                        .results()
                        .map(found -> found.group(1))
                        .findFirst()
                        .orElse("");
        return ROW.matcher(section).results().map(row -> row.group(1)).toList();
    }

    /** Every statement of every module's programs that writes to the log. */
    static List<Line> written() throws IOException {
        Stream.Builder<Line> lines = Stream.builder();
        for (Path source : sources()) {
            String code = Files.readString(source);
            LINE.matcher(code)
                    .results()
                    .map(MatchResult::end)
                    .forEach(start -> lines.add(new Line(source, keys(message(code, start)))));
        }
        return lines.build().toList();
    }

    /** Files that get a logger, and give it another name than the one that is looked for. */
    static List<Path> sourcesWithAnotherLogger() throws IOException {
        Stream.Builder<Path> others = Stream.builder();
        for (Path source : sources()) {
            String code = Files.readString(source);
            boolean gets = code.contains("LoggerFactory.getLogger(");
            if (gets && !code.contains("Logger LOG =")) {
                others.add(source);
            }
        }
        return others.build().toList();
    }

    private static List<Path> sources() throws IOException {
        Stream.Builder<Path> sources = Stream.builder();
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            for (Path module : modules.sorted().toList()) {
                Path code = module.resolve("src/main/java");
                if (Files.isDirectory(code)) {
                    try (Stream<Path> files = Files.walk(code)) {
                        files.filter(file -> file.toString().endsWith(".java")).forEach(sources);
                    }
                }
            }
        }
        return sources.build().toList();
    }

    /** The constant message: all texts up to the comma that ends the first argument. */
    private static String message(String code, int start) {
        StringBuilder message = new StringBuilder();
        var texts = TEXT.matcher(code).region(start, code.length());
        int at = start;
        while (texts.find() && code.substring(at, texts.start()).matches("[\\s+]*(//.*\\s*)*")) {
            message.append(texts.group(1));
            at = texts.end();
        }
        return message.toString();
    }

    private static Set<String> keys(String message) {
        return KEY.matcher(message)
                .results()
                .map(key -> key.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
