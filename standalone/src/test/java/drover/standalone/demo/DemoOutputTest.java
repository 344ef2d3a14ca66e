package drover.standalone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import drover.cli.terminal.OutputTraits;
import drover.rollout.v1.Batch;
import drover.rollout.v1.BatchPhase;
import drover.rollout.v1.NodeUpgradeStatus;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import drover.rollout.v1.RolloutStatus;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoOutputTest {
    private static final Rollout CANARY =
            Rollout.newBuilder()
                    .setTotalNodes(12)
                    .setSucceededNodes(4)
                    .setStatus(RolloutStatus.ROLLOUT_STATUS_RUNNING)
                    .addBatches(
                            Batch.newBuilder()
                                    .setCanary(true)
                                    .setPhase(BatchPhase.BATCH_PHASE_SETTLING))
                    .build();

    private static final List<RolloutNode> NODES =
            List.of(
                    RolloutNode.newBuilder()
                            .setNodeId("berth-01")
                            .setStatus(NodeUpgradeStatus.NODE_UPGRADE_STATUS_UPGRADING)
                            .setAction("start_node")
                            .build(),
                    RolloutNode.newBuilder()
                            .setNodeId("berth-02")
                            .setStatus(NodeUpgradeStatus.NODE_UPGRADE_STATUS_SUCCEEDED)
                            .build());

    @Test
    void showsTheProgressOfARolloutAndItsNodes() {
        assertThat(DemoOutput.line(CANARY, NODES))
                .isEqualTo(
                        "[##########....................] 4/12 running, batch 1 of 1 (canary)"
                                + " settling: berth-01 start_node");
    }

    @Test
    void logsEachChangeWithoutATerminal() {
        StringWriter text = new StringWriter();
        DemoOutput narrator = new DemoOutput(new PrintWriter(text), OutputTraits.PLAIN);
        narrator.printProgress(CANARY, NODES);
        narrator.printProgress(CANARY, NODES);
        narrator.printProgress(CANARY.toBuilder().setSucceededNodes(5).build(), NODES);
        assertThat(text.toString().lines()).hasSize(2);
        assertThat(text.toString()).doesNotContain("\u001b");
    }

    @Test
    void callsANodeWhoseTurnNeverCameUntouched() {
        RolloutNode waiting = node(NodeUpgradeStatus.NODE_UPGRADE_STATUS_PENDING, "PENDING");
        assertThat(DemoOutput.status(waiting)).isEqualTo("untouched");
        assertThat(DemoOutput.reason(waiting)).isEmpty();
        RolloutNode tried = waiting.toBuilder().setAttemptCount(1).build();
        assertThat(DemoOutput.status(tried)).isEqualTo("pending");
    }

    @Test
    void givesAReasonOnlyWhereItAddsSomething() {
        RolloutNode back = node(NodeUpgradeStatus.NODE_UPGRADE_STATUS_ROLLED_BACK, "ROLLED_BACK");
        assertThat(DemoOutput.status(back)).isEqualTo("rolled back");
        assertThat(DemoOutput.reason(back)).isEmpty();
        RolloutNode failed = node(NodeUpgradeStatus.NODE_UPGRADE_STATUS_FAILED, "NOT_RUNNING");
        assertThat(DemoOutput.status(failed)).isEqualTo("failed");
        assertThat(DemoOutput.reason(failed)).isEqualTo("NOT_RUNNING");
    }

    private static RolloutNode node(NodeUpgradeStatus status, String reason) {
        return RolloutNode.newBuilder().setStatus(status).setReason(reason).build();
    }
}
