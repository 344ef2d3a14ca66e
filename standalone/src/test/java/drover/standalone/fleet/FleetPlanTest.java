package drover.standalone.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.localenv.DataDirectory;
import drover.localenv.UserFacingError;
import drover.manifest.v1.ChainProfile;
import drover.manifest.v1.InitialProgram;
import drover.manifest.v1.StandaloneNodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FleetPlanTest {
    @TempDir Path folder;

    private final ChainProfile harbour =
            ChainProfile.newBuilder()
                    .setId("harbour")
                    .setStandalone(
                            StandaloneNodes.newBuilder()
                                    .setNamePrefix("berth")
                                    .setNodeType("edge")
                                    .putLabels("var.port", "{port}")
                                    .putLabels("rank", "{n}")
                                    .addPrograms(
                                            InitialProgram.newBuilder()
                                                    .setName("greeter")
                                                    .setVersion("v1")
                                                    .setUrl("file:///greeter")
                                                    .setChecksum("sha256:" + "b".repeat(64))))
                    .build();

    @Test
    void makesEqualNodesWithPortsOfTheirOwn() {
        List<PlannedNode> nodes = plan(OptionalInt.of(2));
        assertThat(nodes)
                .extracting(node -> node.name().value())
                .containsExactly("berth-01", "berth-02");
        assertThat(nodes.get(1).labels()).containsEntry("rank", "2");
        assertThat(nodes.get(0).labels().get("var.port"))
                .matches("[0-9]+")
                .isNotEqualTo(nodes.get(1).labels().get("var.port"));
    }

    @Test
    void remembersNodesAndPorts() {
        List<PlannedNode> before = plan(OptionalInt.of(4));
        assertThat(plan(OptionalInt.empty())).isEqualTo(before);
    }

    @Test
    void growsButRefusesToShrink() {
        List<PlannedNode> before = plan(OptionalInt.of(2));
        assertThat(plan(OptionalInt.of(3))).startsWith(before.toArray(PlannedNode[]::new));
        assertThatThrownBy(() -> plan(OptionalInt.of(2)))
                .isInstanceOf(UserFacingError.class)
                .hasMessageContaining("has 3 nodes already");
    }

    @Test
    void refusesBothWaysAtOnce() throws IOException {
        Files.writeString(folder.resolve("nodes.yaml"), "nodes: []");
        assertThatThrownBy(() -> plan(OptionalInt.of(2))).hasMessageContaining("--nodes");
    }

    @Test
    void refusesAConfigurationWithoutNodes() {
        assertThatThrownBy(
                        () ->
                                PortSavingFleetPlanner.planAndSavePorts(
                                        directory(), folder, OptionalInt.of(1), List.of()))
                .hasMessageContaining("standalone:")
                .hasMessageContaining("nodes.yaml");
    }

    private List<PlannedNode> plan(OptionalInt count) {
        return PortSavingFleetPlanner.planAndSavePorts(
                directory(), folder, count, List.of(harbour));
    }

    private DataDirectory directory() {
        return new DataDirectory(folder);
    }
}
