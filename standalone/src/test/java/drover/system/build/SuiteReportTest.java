package drover.system.build;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Summary that CI prints after its tests, and the list of skipped tests that it reads. */
class SuiteReportTest {
    private static final Path LIST = Path.of("..", ".ci", "skips");

    @TempDir Path folder;

    @BeforeEach
    void aReportOfTwoSkippedTests() throws IOException {
        report(
                "failsafe",
                "drover.some.EtcdIT",
                """
                <testsuite name="B1: a display name" tests="3" errors="0" failures="0" time="1.5">
                  <testcase name="runs" classname="B1: a display name"/>
                  <testcase name="needsEtcd(Place)[1]" classname="B1: a display name">
                    <skipped message="there is no etcd"/>
                  </testcase>
                  <testcase name="takesHours" classname="B1: a display name"><skipped/></testcase>
                </testsuite>
                """);
    }

    private void report(String kind, String type, String content) throws IOException {
        Path reports =
                Files.createDirectories(folder.resolve("module/target/" + kind + "-reports"));
        Files.writeString(reports.resolve("TEST-" + type + ".xml"), content);
    }

    private void aRedReport() throws IOException {
        report(
                "surefire",
                "drover.some.FenceTest",
                """
                <testsuite tests="2" errors="1" failures="0" time="1,002.5">
                  <testcase name="runs"/><testcase name="fails"><error/></testcase>
                </testsuite>
                """);
    }

    private SuiteReport suite() throws IOException {
        return SuiteReport.read(folder);
    }

    private record Summary(boolean green, String text) {}

    private Summary summary(Set<String> listed, List<String> unstable, boolean strict)
            throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        boolean green =
                suite().summarize(listed, unstable, strict, new PrintStream(text, true, UTF_8));
        return new Summary(green, text.toString(UTF_8));
    }

    @Test
    void acceptsSkippedTestsThatAreListed() throws IOException {
        Path list = folder.resolve("skips");
        Files.writeString(list, "# why\n\nEtcdIT.needsEtcd a reason\nEtcdIT.takesHours another\n");

        assertThat(suite().unlistedSkips(SuiteReport.listed(list))).isEmpty();
        assertThat(suite().unlistedSkips(Set.of("EtcdIT.*"))).isEmpty();
    }

    @Test
    void aSkipThatIsNotListedIsRedInCiAndPrintedElsewhere() throws IOException {
        Summary inCi = summary(Set.of("EtcdIT.takesHours"), List.of(), true);
        Summary elsewhere = summary(Set.of("EtcdIT.takesHours"), List.of(), false);

        assertThat(inCi.green()).isFalse();
        assertThat(inCi.text().lines())
                .containsOnlyOnce("Skipped and not listed: EtcdIT.needsEtcd: there is no etcd")
                .noneMatch(line -> line.contains("takesHours"));
        assertThat(elsewhere.green()).isTrue();
        assertThat(elsewhere.text().lines())
                .containsOnlyOnce("Skipped: EtcdIT.needsEtcd: there is no etcd")
                .containsOnlyOnce("Skipped: EtcdIT.takesHours: no reason given");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "message='there is no etcd'>",
                """
                type='A'><![CDATA[org.opentest4j.TestAbortedException: Assumption failed: \
                Skipped: there is no etcd
                \tat org.junit.Some(Some.java:340)
                ]]>""",
                """
                type='A'><![CDATA[org.opentest4j.TestAbortedException:\s
                assumption was not met due to: [SKIPPED: there is no etcd]\s
                Expecting value to be false but was true
                \tat Some.some(Some.java:9)]]>""",
                """
                type='A'><![CDATA[org.opentest4j.TestAbortedException:\s
                assumption was not met due to:\s
                there is no etcd
                ]]>""",
            })
    void aSkippedClassIsOneLineThatNamesWhatIsMissing(String skipped) throws IOException {
        report(
                "failsafe",
                "drover.some.EtcdIT",
                """
                <testsuite tests="2" errors="0" failures="0" time="0">
                  <testcase name="" classname="drover.some.EtcdIT"><skipped %s</skipped></testcase>
                  <testcase name="" classname="drover.some.EtcdIT"><skipped %s</skipped></testcase>
                </testsuite>
                """
                        .formatted(skipped, skipped));

        assertThat(suite().unlistedSkips(Set.of())).containsExactly("EtcdIT: there is no etcd");
        assertThat(suite().unlistedSkips(Set.of("EtcdIT.*"))).isEmpty();
    }

    @Test
    void aFailureIsRed() throws IOException {
        aRedReport();

        assertThat(suite().red()).containsExactly("module drover.some.FenceTest");
        Summary summary =
                summary(Set.of("EtcdIT.*"), List.of("module drover.some.FenceTest"), true);
        assertThat(summary.green()).isFalse();
        assertThat(summary.text().lines())
                .contains("red: module drover.some.FenceTest", "2 passed, 1 failed, 2 skipped")
                .noneMatch(line -> line.startsWith("unstable"));
    }

    @Test
    void aClassThatPassedWhenItWasRepeatedIsUnstable() throws IOException {
        Summary summary = summary(Set.of("EtcdIT.*"), List.of("module drover.some.EtcdIT"), true);

        assertThat(summary.green()).isTrue();
        assertThat(summary.text().lines())
                .contains("unstable: module drover.some.EtcdIT", "1 passed, 0 failed, 2 skipped");
    }

    @Test
    void theTableHasARowForEachModule() throws IOException {
        aRedReport();

        assertThat(summary(Set.of(), List.of(), false).text().lines())
                .contains(
                        "module                   tests  skipped        s",
                        "module                       5        2     1004",
                        "all                          5        2     1004");
    }

    @Test
    void aRunWithoutReportsIsRed() throws IOException {
        Path none = Files.createDirectory(folder.resolve("none"));

        boolean green =
                SuiteReport.read(none)
                        .summarize(
                                Set.of(),
                                List.of(),
                                false,
                                new PrintStream(new ByteArrayOutputStream(), true, UTF_8));

        assertThat(green).isFalse();
    }

    @Test
    void aModuleWithoutAReportIsRed() throws IOException {
        Files.createDirectories(folder.resolve("module/src/test/java"));
        Files.createDirectories(folder.resolve("other/src/test/java"));
        Files.createDirectories(folder.resolve("docs/src"));

        Summary summary = summary(Set.of("EtcdIT.*"), List.of(), false);

        assertThat(summary.green()).isFalse();
        assertThat(summary.text().lines().filter(line -> line.startsWith("red: ")))
                .containsExactly("red: no test report of other");
    }

    @Test
    @DisplayName("Each entry of .ci/skips names a test that exists, and has a reason")
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
        return JavaSources.tests().stream()
                .collect(
                        Collectors.groupingBy(
                                file -> file.getFileName().toString().replace(".java", "")));
    }
}
