package drover.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The check that CI makes of its skipped tests, and the list that it reads. */
class SkippedTestsTest {
    private static final Path LIST = Path.of("..", ".ci", "skipped");

    @TempDir Path folder;
    private Path list;

    @BeforeEach
    void aReportOfTwoSkippedTests() throws IOException {
        Path reports = Files.createDirectories(folder.resolve("module/target/failsafe-reports"));
        Files.writeString(
                reports.resolve("TEST-drover.some.EtcdIT.xml"),
                """
                <testsuite name="B1: a display name">
                  <testcase name="runs" classname="B1: a display name"/>
                  <testcase name="needsEtcd(Place)[1]" classname="B1: a display name">
                    <skipped message="there is no etcd"/>
                  </testcase>
                  <testcase name="takesHours" classname="B1: a display name"><skipped/></testcase>
                </testsuite>
                """);
        list = folder.resolve("skipped");
    }

    private List<String> problems(String listed) throws IOException {
        return SkippedTests.problems(Files.writeString(list, listed), folder);
    }

    @Test
    void acceptsSkippedTestsThatAreListed() throws IOException {
        assertThat(problems("# why\n\nEtcdIT.needsEtcd a reason\nEtcdIT.takesHours another\n"))
                .isEmpty();
        assertThat(problems("EtcdIT.* a reason for all\n")).isEmpty();
    }

    @Test
    void rejectsAnotherSkippedTest() throws IOException {
        assertThat(problems("EtcdIT.takesHours a reason\n"))
                .containsExactly("Skipped and not listed: EtcdIT.needsEtcd: there is no etcd");
    }

    @Test
    void rejectsARunWithoutReports() throws IOException {
        Path none = Files.createDirectory(folder.resolve("none"));

        assertThat(SkippedTests.problems(Files.writeString(list, ""), none))
                .containsExactly("There are no reports of tests.");
    }

    @Test
    @DisplayName("Each entry of .ci/skipped names a test that exists, and has a reason")
    void theListNamesTestsThatExist() throws IOException {
        List<String> entries =
                Files.readAllLines(LIST).stream()
                        .filter(line -> !line.isBlank() && !line.startsWith("#"))
                        .toList();
        Map<String, List<Path>> sources = sources();

        assertThat(entries).isNotEmpty().allMatch(line -> line.matches("\\w+\\.(\\w+|\\*) .+"));
        for (String entry : entries) {
            String[] name = entry.split(" ", 2)[0].split("\\.", 2);
            assertThat(sources).as(entry).containsKey(name[0]);
            if (!name[1].equals("*")) {
                assertThat(sources.values().stream().flatMap(List::stream))
                        .as(entry)
                        .anyMatch(source -> declares(source, name[1]));
            }
        }
    }

    /** The test of a contract is declared in its base class. */
    private static boolean declares(Path source, String method) {
        try {
            return Files.readString(source).contains("void " + method + "(");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, List<Path>> sources() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            return files.filter(file -> file.toString().contains("/src/test/java/"))
                    .filter(file -> file.toString().endsWith(".java"))
                    .collect(
                            Collectors.groupingBy(
                                    file -> file.getFileName().toString().replace(".java", "")));
        }
    }
}
