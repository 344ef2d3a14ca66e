package drover.cli;

import static org.assertj.core.api.Assertions.assertThat;

import drover.agent.v1.ProgramReport;
import drover.manifest.v1.ManifestProblem;
import drover.node.v1.ExplainNodeResponse;
import drover.node.v1.Node;
import drover.node.v1.NodeHealth;
import drover.node.v1.NodeReason;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodeAndManifestCommandsTest {
    private final FakeDrover drover = new FakeDrover();

    @TempDir Path folder;

    @AfterEach
    void stop() {
        drover.close();
    }

    @Test
    void listsNodesWithWhatTheyRun() {
        drover.nodes.add(aNode());
        assertThat(Typed.on(drover, "node", "list").out())
                .isEqualTo(
                        """
                        NODE  STATUS  HEALTH      CHAIN     TYPE  RUNS                   RUNTIME  SEEN
                        a-1   online  crash_loop  celestia  full  celestia-node v0.21.0  process  3s ago
                        """);
    }

    @Test
    void tellsWhyANodeIsAsItIs() {
        drover.whyNode =
                ExplainNodeResponse.newBuilder()
                        .setNode(aNode())
                        .addReasons(
                                NodeReason.newBuilder()
                                        .setAt(RolloutCommandsTest.ago(30))
                                        .setCode("HEALTH_HOLD")
                                        .setRolloutId("r-1")
                                        .setSentence("Well for 30s of 60s."))
                        .build();
        assertThat(Typed.on(drover, "node", "why", "a-1").out())
                .isEqualTo(
                        """
                        Node a-1 is online.
                        Health: crash_loop: celestia-node falls again and again.

                        SINCE                          CODE         ROLLOUT  WHY
                        2026-01-31 11:59:30 (30s ago)  HEALTH_HOLD  r-1      Well for 30s of 60s.
                        """);
    }

    @Test
    void printsEachProblemOfAManifestWithItsPlace() throws Exception {
        Path file = Files.writeString(folder.resolve("bad.yaml"), "upgrade_id: x\n");
        drover.problems.add(
                ManifestProblem.newBuilder()
                        .setLine(3)
                        .setColumn(5)
                        .setPath("config_changes[0].template")
                        .setMessage("The template does not exist.")
                        .setCode("TEMPLATE_NOT_FOUND")
                        .build());
        drover.problems.add(
                ManifestProblem.newBuilder()
                        .setMessage("target_version is missing.")
                        .setCode("MISSING_KEY")
                        .build());
        Typed typed = Typed.on(drover, "manifest", "validate", file.toString());
        assertThat(typed.exitCode()).isEqualTo(1);
        assertThat(typed.out())
                .isEqualTo(
                        """
                        %s:3:5 config_changes[0].template: The template does not exist. [TEMPLATE_NOT_FOUND]
                        %s target_version is missing. [MISSING_KEY]
                        """
                                .formatted(file, file));
    }

    @Test
    void saysThatAManifestIsGood() throws Exception {
        Path file = Files.writeString(folder.resolve("good.yaml"), "upgrade_id: x\n");
        Typed typed = Typed.on(drover, "manifest", "validate", file.toString());
        assertThat(typed.exitCode()).isZero();
        assertThat(typed.out()).isEqualTo(file + " is good.\n");
    }

    @Test
    void saysThatAFileIsNotThere() {
        Typed typed = Typed.on(drover, "manifest", "validate", "nowhere.yaml");
        assertThat(typed.exitCode()).isEqualTo(1);
        assertThat(typed.err()).isEqualTo("There is no file nowhere.yaml.\n");
    }

    private static Node aNode() {
        return Node.newBuilder()
                .setHealth(NodeHealth.NODE_HEALTH_CRASH_LOOP)
                .setHealthDetail("celestia-node falls again and again.")
                .setId("a-1")
                .setChainProfileId("celestia")
                .setNodeType("full")
                .setOnline(true)
                .setRuntime("process")
                .setLastSeenAt(RolloutCommandsTest.ago(3))
                .addPrograms(
                        ProgramReport.newBuilder().setName("celestia-node").setVersion("v0.21.0"))
                .build();
    }
}
