package drover.system.docs;

import static org.assertj.core.api.Assertions.assertThat;

import drover.system.build.JavaSources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Terms of the glossary, compared with the types of the code. */
class GlossaryTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| ([^|]+) \\| ([^|]+) \\| (.+) \\|$");
    private static final Pattern TYPE = Pattern.compile("`([A-Z]\\w*)`");

    @Test
    @DisplayName("The glossary has at most 60 terms, each once, in alphabetical order per section")
    void termsAreFewAndUnique() throws IOException {
        List<String> terms = rows().map(row -> row.group(1)).toList();
        assertThat(terms).hasSizeBetween(40, 60).doesNotHaveDuplicates();
        for (String section : glossary().split("\n## ", -1)) {
            assertThat(rows(section).map(row -> row.group(1)).toList()).isSorted();
        }
    }

    @Test
    void everyTermNamesTypesThatExist() throws IOException {
        Set<String> types =
                JavaSources.main().stream()
                        .map(file -> file.getFileName().toString().replace(".java", ""))
                        .collect(Collectors.toSet());
        assertThat(rows())
                .allSatisfy(
                        row -> {
                            List<String> named =
                                    TYPE.matcher(row.group(3))
                                            .results()
                                            .map(result -> result.group(1))
                                            .toList();
                            assertThat(named).as(row.group(1)).isNotEmpty();
                            assertThat(types).as(row.group(1)).containsAll(named);
                        });
    }

    @Test
    void everyTermHasASentence() throws IOException {
        assertThat(rows())
                .allSatisfy(
                        row ->
                                assertThat(row.group(2))
                                        .as(row.group(1))
                                        .matches("[A-Z].{10,110}\\."));
    }

    private static Stream<MatchResult> rows() throws IOException {
        return rows(glossary());
    }

    private static Stream<MatchResult> rows(String text) {
        return ROW.matcher(text)
                .results()
                .filter(result -> !result.group(1).equals("term"))
                .filter(result -> !result.group(1).startsWith("-"));
    }

    private static String glossary() throws IOException {
        return Files.readString(ROOT.resolve("docs/glossary.md"));
    }
}
