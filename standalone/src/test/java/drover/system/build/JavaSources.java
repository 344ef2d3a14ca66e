package drover.system.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Java sources of all modules. Reads no target folder, where other test JVMs write. */
public final class JavaSources {
    /** Strings, characters and comments; what is left is code. */
    static final Pattern TEXT =
            Pattern.compile(
                    "\"\"\"[^\"\\\\]*+(?:(?:\\\\.|\"(?!\"\"))[^\"\\\\]*+)*+\"\"\""
                            + "|\"[^\"\\\\\\n]*+(?:\\\\.[^\"\\\\\\n]*+)*+\""
                            + "|'(?:\\\\.|[^'\\\\\\n])+'|//[^\\n]*|/\\*.*?\\*/",
                    Pattern.DOTALL);

    private static final Path ROOT = Path.of("..");

    private JavaSources() {}

    /** Paths of all Java files, by module: main first, then tests. */
    public static List<Path> all() throws IOException {
        return below("src/main/java", "src/test/java");
    }

    /** Paths of the Java files of the main code. */
    public static List<Path> main() throws IOException {
        return below("src/main/java");
    }

    /** Paths of the Java files of tests. */
    static List<Path> tests() throws IOException {
        return below("src/test/java");
    }

    private static List<Path> below(String... folders) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Path module : TestReport.list(ROOT)) {
            for (String folder : folders) {
                Path code = module.resolve(folder);
                if (Files.isDirectory(code)) {
                    try (Stream<Path> files = Files.walk(code)) {
                        files.filter(file -> file.toString().endsWith(".java"))
                                .sorted()
                                .forEach(sources::add);
                    }
                }
            }
        }
        return sources;
    }
}
