package drover.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NodeInventoryTest {
    private static final ReportedProgram V1 =
            new ReportedProgram(
                    "chain",
                    "v1",
                    "sha256:1",
                    "sha256:c",
                    new TreeMap<>(java.util.Map.of("/etc/chain.toml", "sha256:f")),
                    "sha256:l",
                    true,
                    "run-1",
                    "http://artifacts/v1");

    @Test
    void repeatedSignalChangesNothing() {
        NodeInventory inventory = with(V1);

        assertThat(
                        inventory.withObservations(
                                List.of(
                                        new ProgramObservation(
                                                "chain", "run-1", "sha256:1", "sha256:c", "v1"))))
                .isEqualTo(inventory);
    }

    @Test
    void anotherDigestBringsItsVersionAndForgetsTheUrl() {
        ReportedProgram after =
                only(
                        with(V1).withObservations(
                                        List.of(signal("run-2", "sha256:2", "sha256:c", "v2"))));

        assertThat(after.version()).isEqualTo("v2");
        assertThat(after.runningDigest()).isEqualTo("sha256:2");
        assertThat(after.artifactUrl()).isEmpty();
        assertThat(after.configFiles()).isEqualTo(V1.configFiles());
    }

    @Test
    void anotherDigestWithoutAVersionIsUnknown() {
        assertThat(
                        only(with(V1).withObservations(
                                                List.of(signal("run-2", "sha256:2", "", ""))))
                                .version())
                .isEqualTo("unknown");
    }

    @Test
    void anotherConfigurationForgetsTheFilesOfTheOld() {
        ReportedProgram after =
                only(
                        with(V1).withObservations(
                                        List.of(signal("run-2", "sha256:1", "sha256:d", ""))));

        assertThat(after.configDigest()).isEqualTo("sha256:d");
        assertThat(after.configFiles()).isEmpty();
        assertThat(after.launchDigest()).isEmpty();
        assertThat(after.version()).isEqualTo("v1");
    }

    @Test
    void aProgramThatIsDownKeepsTheDigestOfItsFile() {
        ReportedProgram after = only(with(V1).withObservations(List.of(signal("", "", "", ""))));

        assertThat(after.running()).isFalse();
        assertThat(after.runningDigest()).isEqualTo("sha256:1");
        assertThat(after.version()).isEqualTo("v1");
    }

    @Test
    void aFloodOfProgramNamesIsCutOff() {
        List<ProgramObservation> flood =
                IntStream.range(0, 500)
                        .mapToObj(i -> new ProgramObservation("p" + i, "r", "d", "c", "v"))
                        .toList();

        assertThat(with(V1).withObservations(flood).programs())
                .hasSize(NodeInventory.MOST_PROGRAMS);
    }

    @Test
    void theAttemptFloorNeverSinks() {
        assertThat(with(V1).withFloorAtLeast(7).withFloorAtLeast(3).attemptFloor()).isEqualTo(7);
    }

    private static ProgramObservation signal(
            String runId, String digest, String configDigest, String version) {
        return new ProgramObservation("chain", runId, digest, configDigest, version);
    }

    private static NodeInventory with(ReportedProgram program) {
        return new NodeInventory("1", "process", "linux/amd64", List.of(), 0, List.of(program));
    }

    private static ReportedProgram only(NodeInventory inventory) {
        return inventory.programs().getFirst();
    }
}
