package drover.system.build;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code .ci/run} as it is, in a folder where {@code mvnw} is a script that writes reports. Its JDK
 * copies {@link SuiteReport} from this build where a real one compiles it, which takes a second.
 */
class CiRunTest {
    private static final String REAL_JDK = System.getProperty("java.home");
    private static final Path CLASSES = Path.of("target/test-classes").toAbsolutePath();
    private static final String EACH_TIME = "--fail-at-end -Dmaven.test.failure.ignore=true";
    private static final String REPEATED =
            "-B verify "
                    + EACH_TIME
                    + " -pl standalone -am -Dtest=None -Dit.test=drover.some.FenceIT"
                    + " -Dsurefire.failIfNoSpecifiedTests=false"
                    + " -Dfailsafe.failIfNoSpecifiedTests=false";

    @TempDir Path temporary;
    private Path folder;

    private record Run(int exit, List<String> lines, List<String> maven) {}

    @BeforeEach
    void aFolderWithABlankInItsName() throws IOException {
        folder = Files.createDirectories(temporary.resolve("a folder"));
        copy(".ci/run");
        copy(".mvn/find-jdk.sh");
        for (String source : List.of("SuiteReport", "TestReport")) {
            copy("standalone/src/test/java/drover/system/build/" + source + ".java");
        }
        aJdkThatCopiesClasses();
        script(".ci/tools", "");
        script(".ci/previous", "echo previous >> maven");
        write(".ci/skips", "FenceIT.needsEtcd cannot run here\n");
    }

    private void aJdkThatCopiesClasses() throws IOException {
        Path bin = Files.createDirectories(folder.resolve("jdk/bin"));
        Files.createSymbolicLink(bin.resolve("java"), Path.of(REAL_JDK, "bin/java"));
        write("jdk/release", "JAVA_VERSION=\"25\"\n");
        script(
                "jdk/bin/javac",
                """
                while [ "$1" != -d ]; do shift; done
                mkdir -p "$2/drover/system"
                cp -R '%s/drover/system/build' "$2/drover/system/"
                """
                        .formatted(CLASSES));
    }

    private void copy(String file) throws IOException {
        Path to = folder.resolve(file);
        Files.createDirectories(to.getParent());
        Files.copy(Path.of("..", file), to);
    }

    private void write(String file, String content) throws IOException {
        Files.writeString(folder.resolve(file), content);
    }

    private void script(String file, String content) throws IOException {
        write(file, "#!/bin/sh\n" + content + "\n");
        assertThat(folder.resolve(file).toFile().setExecutable(true)).isTrue();
    }

    /** A build whose test class fails in its first runs, and that ends as the given commands do. */
    private void build(int failures, String end) throws IOException {
        script(
                "mvnw",
                """
                echo "$*" >> maven
                runs=$(grep -c verify maven)
                failed=0; [ "$runs" -gt %d ] || failed=1
                mkdir -p standalone/target/failsafe-reports
                echo "<testsuite tests='3' errors='0' failures='$failed' time='1'>
                  <testcase name='needsEtcd'><skipped message='no etcd'/></testcase></testsuite>" \\
                  > standalone/target/failsafe-reports/TEST-drover.some.FenceIT.xml
                %s
                """
                        .formatted(failures, end));
    }

    private Run run(Map<String, String> environment) throws IOException, InterruptedException {
        ProcessBuilder bash = new ProcessBuilder("bash", ".ci/run").directory(folder.toFile());
        bash.environment().keySet().removeAll(List.of("CI", "CI_FULL"));
        bash.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
        bash.environment().putAll(environment);
        Process process = bash.redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), UTF_8);
        int exit = process.waitFor();
        return new Run(exit, printed.lines().toList(), Files.readAllLines(folder.resolve("maven")));
    }

    /** A test that prints what a crash prints is not red. */
    @Test
    void runsTheDefaultSuiteToTheEndOfAllModules() throws Exception {
        build(0, "echo '  \"[ERROR] The forked VM terminated without properly saying goodbye.'");

        Run run = run(Map.of("CI", "true", "JAVA_HOME", REAL_JDK));

        assertThat(run.exit()).isZero();
        assertThat(run.maven()).containsExactly("-B verify " + EACH_TIME);
        assertThat(run.lines()).endsWith("2 passed, 0 failed, 1 skipped");
    }

    @Test
    void runsTheFullSuiteWithAnEarlierBuildAndImages() throws Exception {
        build(0, "");

        assertThat(run(Map.of("CI_FULL", "1")).maven())
                .containsExactly("previous", "-B verify -Pfull,images " + EACH_TIME);
    }

    @Test
    void aClassThatPassesWhenItIsRepeatedIsUnstable() throws Exception {
        build(2, "");

        Run run = run(Map.of("CI", "true"));

        assertThat(run.exit()).isZero();
        assertThat(run.maven()).containsExactly("-B verify " + EACH_TIME, REPEATED, REPEATED);
        assertThat(run.lines())
                .endsWith(
                        "unstable: standalone drover.some.FenceIT",
                        "2 passed, 0 failed, 1 skipped");
    }

    @Test
    void aClassThatFailsThreeTimesIsRed() throws Exception {
        build(3, "");

        Run run = run(Map.of("CI", "true"));

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.maven()).hasSize(3);
        assertThat(run.lines())
                .endsWith("red: standalone drover.some.FenceIT", "1 passed, 1 failed, 1 skipped");
    }

    @Test
    void nothingIsRepeatedElsewhere() throws Exception {
        build(1, "");

        Run run = run(Map.of());

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.maven()).hasSize(1);
    }

    @Test
    void aSkipThatIsNotListedIsRed() throws Exception {
        build(0, "");
        write(".ci/skips", "");

        Run run = run(Map.of("CI", "true"));

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.lines()).contains("Skipped and not listed: FenceIT.needsEtcd: no etcd");
    }

    @Test
    void aBuildThatFailsIsRedAndNotRepeated() throws Exception {
        build(1, "echo '[ERROR] Failed to execute goal some:compile on project cli'; exit 1");

        Run run = run(Map.of("CI", "true"));

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.maven()).hasSize(1);
        assertThat(run.lines())
                .endsWith(
                        "red: the build failed with exit code 1: Failed to execute goal"
                                + " some:compile on project cli");
    }

    /** The crashed class has no report. Surefire fails the build; Failsafe only logs the crash. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "[ERROR] The forked VM terminated without properly saying goodbye.",
                "org.apache.SurefireBooterForkException: There was an error in the forked process",
                "[ERROR] There was a timeout in the fork",
            })
    void aTestJvmThatDiesIsRed(String logged) throws Exception {
        build(0, "echo '" + logged + "'");

        Run run = run(Map.of("CI", "true"));

        assertThat(run.exit()).isEqualTo(1);
        assertThat(run.lines().getLast())
                .isEqualTo("red: a test JVM crashed: " + logged.replace("[ERROR] ", ""));
    }
}
