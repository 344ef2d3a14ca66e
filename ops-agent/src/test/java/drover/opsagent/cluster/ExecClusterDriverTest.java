package drover.opsagent.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.NodePath;
import drover.opsagent.cluster.ClusterDriver.ProbeResult;
import drover.opsagent.policy.LocalPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Executables as drivers, also ones that break the contract. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ExecClusterDriverTest {
    // Processes of other tests and of earlier runs are none of this one's.
    private final String sleeper = "86400." + ProcessHandle.current().pid() + System.nanoTime();

    @TempDir private Path directory;

    @BeforeEach
    void letOtherUsersRunTheDriver() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @AfterEach
    void killSleepers() {
        sleepers().forEach(ProcessHandle::destroyForcibly);
    }

    private List<ProcessHandle> sleepers() {
        return ProcessHandle.allProcesses()
                .filter(each -> each.info().commandLine().orElse("").contains(sleeper))
                .toList();
    }

    private Path script(String lines) throws IOException {
        Path file = directory.resolve("driver");
        Files.writeString(file, "#!/bin/sh\n" + lines.replace("TAG", sleeper) + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        return file;
    }

    private ExecClusterDriver driver(String lines) throws IOException {
        Path file = script(lines);
        return new ExecClusterDriver(file, "10.0.0.1:7", allowing(file));
    }

    private static String failure(ClusterDriver driver) {
        ProbeResult result = driver.probe();
        assertThat(result).isInstanceOf(ProbeResult.Failed.class);
        String reason = ((ProbeResult.Failed) result).reason();
        assertThat(reason).endsWith(".").hasLineCount(1);
        return reason;
    }

    @Test
    void readsTheReportOfTheProbe() throws IOException {
        Files.writeString(directory.resolve("line"), ClusterReportParserTest.VALID);
        ProbeResult result = driver("cat " + directory.resolve("line") + "; echo log >&2").probe();
        assertThat(result)
                .isInstanceOfSatisfying(
                        ProbeResult.Reported.class,
                        reported -> assertThat(reported.report().member()).isEqualTo("m-2"));
    }

    @Test
    void passesVerbsTheContractAndTheEndpoint() throws IOException {
        ExecClusterDriver driver =
                driver("echo \"$DROVER_CLUSTER_CONTRACT $DROVER_CLUSTER_ENDPOINT $*\"");
        assertThat(driver.stepDown().detail()).isEqualTo("drover-cluster/1 10.0.0.1:7 step-down");
        assertThat(driver.stepDownTo("m-2").detail()).endsWith("step-down --to m-2");
        for (String target : List.of("m-2; reboot", "--force", "", "m\n2")) {
            assertThat(driver.stepDownTo(target))
                    .isEqualTo(VerbResult.never("The target is no valid name of a member."));
        }
        assertThat(driver.snapshot(Path.of("/var/backup")).detail())
                .endsWith("snapshot /var/backup");
        assertThat(failure(driver)).contains("not valid JSON");
    }

    @ParameterizedTest
    @CsvSource({"0, DONE", "10, ALREADY", "20, NOT_NOW", "30, NEVER", "7, NOT_NOW", "127, NOT_NOW"})
    void mapsExitCodes(int exitCode, VerbResult.Outcome outcome) throws IOException {
        assertThat(driver("echo why; exit " + exitCode).stepDown().outcome()).isEqualTo(outcome);
    }

    @Test
    void anUndefinedExitCodeIsExplained() throws IOException {
        assertThat(driver("echo no quorum; exit 7").stepDown().detail())
                .contains("exited with 7 and wrote: no quorum");
        assertThat(failure(driver("exit 3"))).contains("exited with 3");
    }

    @Test
    void aLineOfTheDriverHasNoCharactersThatControlATerminal() throws IOException {
        assertThat(driver("printf 'a\\302\\23331m\\342\\200\\256b\\033[0m'").stepDown().detail())
                .isEqualTo("a 31m b [0m");
    }

    @Test
    @DisplayName("K4: a probe that hangs ends after 5 s with all its processes")
    void aProbeThatHangsIsKilled() throws IOException {
        assertThat(failure(driver("sleep TAG & sleep TAG"))).contains("did not end within 5 s");
        assertThat(sleepers()).isEmpty();
    }

    @Test
    @DisplayName("K4: a child that keeps the output open does not outlive the probe")
    void aChildInTheBackgroundIsKilled() throws IOException {
        Files.writeString(directory.resolve("line"), ClusterReportParserTest.VALID);
        ClusterDriver driver =
                driver("setsid sleep TAG & cat " + directory.resolve("line") + "; exit 0");
        assertThat(driver.probe()).isInstanceOf(ProbeResult.Reported.class);
        assertThat(sleepers()).isEmpty();
    }

    @Test
    void aReportOf5KiBIsRejected() throws IOException {
        assertThat(failure(driver("head -c 5120 /dev/zero | tr '\\0' x")))
                .contains("wrote more than 4096 bytes");
    }

    @Test
    void endlessOutputIsRejected() throws IOException {
        assertThat(failure(driver("yes"))).contains("wrote more than 4096 bytes");
    }

    @Test
    void garbageIsRejected() throws IOException {
        assertThat(failure(driver("head -c 300 /dev/urandom; exit 0"))).contains("The report");
        assertThat(failure(driver("echo '{\"role\": \"boss\"}'"))).contains("cluster is missing");
    }

    @Test
    void anExecutableThatIsMissingIsExplained() {
        Path missing = directory.resolve("missing");
        assertThat(failure(new ExecClusterDriver(missing, "", allowing(missing))))
                .contains("cannot be run: check its path");
    }

    @Test
    @DisplayName("H16: only drivers that a policy lists run, and none without a policy")
    void runsOnlyWhatThePolicyLists() throws IOException {
        Path driver = script("echo ran; exit 30");
        LocalPolicy other = allowing(directory.resolve("other"));
        for (LocalPolicy policy : List.of(other, LocalPolicy.WHOLE_ROOT)) {
            assertThat(new ExecClusterDriver(driver, "", policy).stepDown())
                    .isEqualTo(
                            VerbResult.notNow(
                                    "This node's policy does not allow the cluster driver '"
                                            + driver
                                            + "': let its owner list it under drivers."));
        }
        assertThat(new ExecClusterDriver(driver, "", allowing(driver)).stepDown())
                .isEqualTo(VerbResult.never("ran"));
    }

    private static LocalPolicy allowing(Path driver) {
        return LocalPolicy.ofDriver(new NodePath(driver.toString()));
    }
}
