package drover.standalone.doctor;

import static drover.standalone.doctor.Finding.Level.FAIL;
import static drover.standalone.doctor.Finding.Level.OK;
import static org.assertj.core.api.Assertions.assertThat;

import drover.machine.home.DataDirectory;
import drover.machine.home.RunningMesh;
import drover.standalone.demo.DemoConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {
    private static final InstantSource CLOCK = InstantSource.system();

    @TempDir Path folder;

    @Test
    void aPortOfAnotherProgramFails() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int taken = other.getLocalPort();
            List<Finding> found = PortLook.at(new PortLook.Wanted(taken, 0, 0), Optional.empty());

            assertThat(found).extracting(Finding::level).containsExactly(FAIL, OK, OK);
            assertThat(found.getFirst().sentence()).contains(String.valueOf(taken), "--http-port");
        }
    }

    @Test
    void portsOfOurOwnMeshAreWell() {
        assertThat(
                        PortLook.at(
                                new PortLook.Wanted(8080, 9090, 9091),
                                Optional.of(new RunningMesh(1, 1, 2, 3, 4))))
                .containsExactly(Finding.ok("ports", "This mesh has its doors open: 1, 2 and 3."));
    }

    @Test
    void aDirectoryThatNobodyCanWriteToFails() {
        DataDirectory data = new DataDirectory(Path.of("/proc/drover"));

        assertThat(MachineLook.at(data))
                .anySatisfy(
                        finding -> {
                            assertThat(finding.level()).isEqualTo(FAIL);
                            assertThat(finding.sentence()).contains("/proc", "--data");
                        });
    }

    @Test
    void theDiskOfADirectoryThatIsNotMadeYetIsMeasuredAndLeftAsItWas() throws IOException {
        List<Finding> found = MachineLook.at(new DataDirectory(folder.resolve("a/b")));

        assertThat(found).extracting(Finding::check).contains("java", "memory", "disk", "fsync");
        try (var left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void aDatabaseThatDoesNotAnswerFailsAndTheRestIsLookedAt() {
        List<Finding> found =
                Doctor.examine(
                        new Doctor.Patient(
                                new DataDirectory(folder),
                                Optional.of("postgres://nobody@127.0.0.1:1/none"),
                                Optional.empty(),
                                0,
                                0,
                                0),
                        CLOCK);

        assertThat(found)
                .anySatisfy(
                        finding -> {
                            assertThat(finding.check()).isEqualTo("database");
                            assertThat(finding.level()).isEqualTo(FAIL);
                        });
        assertThat(found).extracting(Finding::check).contains("ports", "config", "clock");
    }

    @Test
    void theDemosConfigurationIsWell() {
        DemoConfig.writeInto(folder);

        assertThat(ConfigLook.at(folder, true, CLOCK))
                .containsExactly(
                        Finding.ok("config", "1 chain profiles and 2 manifests are good."));
    }

    @Test
    void everyBrokenFileIsAFindingWithItsPlace() throws IOException {
        DemoConfig.writeInto(folder);
        Path manifest = folder.resolve("upgrades/harbour/greeter-v2.yaml");
        Files.writeString(
                manifest,
                Files.readString(manifest).replace("greeter.conf.v2.tmpl", "missing.tmpl"));
        Files.writeString(folder.resolve("chains/other.yaml"), "runtime: 1\n");
        Files.writeString(
                folder.resolve("nodes.yaml"),
                "nodes:\n  - { name: a-1, chain: nowhere, type: edge, programs: [] }\n");

        List<String> sentences =
                ConfigLook.at(folder, true, CLOCK).stream()
                        .filter(finding -> finding.level() == FAIL)
                        .map(Finding::sentence)
                        .toList();

        assertThat(sentences)
                .anySatisfy(s -> assertThat(s).contains("greeter-v2.yaml", "missing.tmpl"))
                .anySatisfy(s -> assertThat(s).contains("chains/other.yaml:1", "runtime"))
                .anySatisfy(s -> assertThat(s).contains("nodes.yaml", "a-1", "no profile"));
    }

    @Test
    void aNamedConfigurationThatIsNotThereFails() {
        Path nowhere = folder.resolve("nowhere");

        assertThat(ConfigLook.at(nowhere, true, CLOCK).getFirst().level()).isEqualTo(FAIL);
        assertThat(ConfigLook.at(nowhere, false, CLOCK).getFirst().level()).isEqualTo(OK);
    }

    @Test
    void aMeshThatDoesNotAnswerFails() {
        List<Finding> found =
                Finding.looking(
                        "nodes",
                        () ->
                                AgentLook.at(
                                        new RunningMesh(1, 1, 1, 1, 1),
                                        new DataDirectory(folder),
                                        Instant.EPOCH));

        assertThat(found).extracting(Finding::level).containsExactly(FAIL);
    }

    @Test
    void aJournalThatCannotBeReadFails() throws IOException {
        DataDirectory data = new DataDirectory(folder);
        Path attempts = folder.resolve("nodes/a-1/state/attempts");
        Files.createDirectories(attempts);
        Files.writeString(attempts.resolve("1.json"), "{");

        assertThat(JournalLook.at(data.existingNodes(), Instant.EPOCH))
                .extracting(Finding::level)
                .containsExactly(FAIL);
    }
}
