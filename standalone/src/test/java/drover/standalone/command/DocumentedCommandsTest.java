package drover.standalone.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;

/** What the documentation says to type is understood, word for word. Nothing is run. */
class DocumentedCommandsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern FENCE =
            Pattern.compile("(?ms)^ *```(?:sh|console)?\\n(.*?)^ *```");
    private static final Pattern SPAN = Pattern.compile("`([^`\n]+)`");

    /** From {@code drover} to where the shell's own words begin. */
    private static final Pattern CALL = Pattern.compile("(?:^|[ (=])(?:\\./)?drover ([^|;>)#&…]+)");

    @Test
    void everyCommandThatAPageShowsIsUnderstood() throws IOException {
        List<String> strange = new ArrayList<>();
        int tried = 0;
        for (Path page : pages()) {
            String text = Files.readString(page).replace("\\\n", " ");
            for (String call : calls(text)) {
                tried++;
                wrong(call).forEach(why -> strange.add(ROOT.relativize(page) + ": " + why));
            }
        }
        assertThat(tried).isGreaterThan(30); // else the patterns find nothing any more
        assertThat(strange).isEmpty();
    }

    @Test
    void aCommandThatDoesNotExistIsFound() {
        assertThat(wrong("rollout begin ID")).isNotEmpty();
        assertThat(wrong("up --node 3")).isNotEmpty();
        assertThat(wrong("up --nodes many")).isNotEmpty();
        assertThat(calls("see `./drover up --nodes 3` and\n```sh\n./drover down  # ends\n```\n"))
                .containsExactlyInAnyOrder("up --nodes 3", "down");
    }

    private static Set<String> calls(String text) {
        Set<String> calls = new LinkedHashSet<>();
        Matcher fence = FENCE.matcher(text);
        while (fence.find()) {
            fence.group(1)
                    .lines()
                    .filter(line -> line.contains("./drover "))
                    .forEach(line -> add(line, calls));
        }
        Matcher span = SPAN.matcher(FENCE.matcher(text).replaceAll(""));
        while (span.find()) {
            if (span.group(1).matches("(?:\\./)?drover .*")) {
                add(span.group(1), calls);
            }
        }
        return calls;
    }

    private static void add(String line, Set<String> calls) {
        Matcher call = CALL.matcher(line);
        while (call.find()) {
            calls.add(call.group(1).strip());
        }
    }

    /** Why it is not understood; a command that is only named may lack its arguments. */
    private static List<String> wrong(String call) {
        if (call.startsWith("bench")) {
            return List.of(); // stands outside the tree, and has tests of its own
        }
        try {
            CommandTreeTest.tree(new StringWriter(), new StringWriter())
                    .parseArgs(words(call).toArray(String[]::new));
            return List.of();
        } catch (MissingParameterException e) {
            return List.of();
        } catch (ParameterException e) {
            return List.of(call + ": " + e.getMessage());
        }
    }

    /** Words with something in the place of what stands for something. */
    private static List<String> words(String call) {
        List<String> words = new ArrayList<>();
        Matcher word = Pattern.compile("\"[^\"]*\"|\\S+").matcher(call.replaceAll("[\\[\\]]", ""));
        while (word.find()) {
            words.add(
                    switch (word.group()) {
                        case "N", "S" -> "3";
                        case "SHELL" -> "bash";
                        case "$kind" -> "manifest";
                        case "FILE" -> words.contains("schema") ? "manifest" : "FILE";
                        default -> word.group().replace("\"", "");
                    });
        }
        return words;
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT, 3)) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !file.toString().contains("/target/"))
                    .filter(file -> !ROOT.relativize(file).toString().startsWith("."))
                    .sorted()
                    .toList();
        }
    }
}
