package drover.cli.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import drover.agent.v1.UpgradePhase;
import drover.cli.CommandResult;
import drover.cli.FakeDrover;
import drover.cli.rollout.RolloutChangeLines.Snapshot;
import drover.cli.terminal.OutputTraits;
import drover.rollout.v1.Batch;
import drover.rollout.v1.BatchPhase;
import drover.rollout.v1.NodeUpgradeStatus;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import drover.rollout.v1.RolloutStatus;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class RolloutWatchCommandTest {
    private static final String ID = "4f3c2a10-0000-4000-8000-000000000001";

    @AutoClose private final FakeDrover drover = new FakeDrover();

    @Test
    void printsALineForEachChangeUntilTheRolloutIsCompleted() {
        drover.snapshots.addAll(List.of(started(), upgrading(40), upgrading(80), completed()));
        CommandResult typed = CommandResult.on(drover, "rollout", "watch", ID);
        assertThat(typed.exitCode()).isZero();
        assertThat(typed.out())
                .isEqualTo(
                        """
                        12:00:00 batch 1 of 1 is dispatching (1 nodes, 0 succeeded, 0 failed)
                        12:00:00 Rollout 4f3c2a10-0000-4000-8000-000000000001 is running. 1 node is at work.
                        12:00:00 node a-1 is upgrading (MUTATING)
                        12:00:00 batch 1 of 1 is promoted (1 nodes, 1 succeeded, 0 failed)
                        12:00:00 node a-1 is succeeded
                        12:00:00 Rollout 4f3c2a10-0000-4000-8000-000000000001 is completed. All nodes are proven.
                        """);
    }

    @Test
    @DisplayName("T8: a restored or upgraded node that becomes unhealthy later has a line")
    void printsALineWhenADecidedNodeBecomesUnhealthy() {
        NodeUpgradeStatus restored = NodeUpgradeStatus.NODE_UPGRADE_STATUS_ROLLED_BACK;
        NodeUpgradeStatus late = NodeUpgradeStatus.NODE_UPGRADE_STATUS_UNHEALTHY;
        drover.snapshots.addAll(
                List.of(
                        rollingBack(restored, "ROLLED_BACK", ""),
                        rollingBack(restored, "APPLICATION_CRITICAL", "ready: HTTP 503"),
                        rollingBack(restored, "APPLICATION_CRITICAL", "ready: HTTP 502"),
                        rollingBack(restored, "ROLLED_BACK", ""),
                        rollingBack(NodeUpgradeStatus.NODE_UPGRADE_STATUS_SUCCEEDED, "", ""),
                        rollingBack(late, "APPLICATION_CRITICAL", "ready: HTTP 503"),
                        completed()));
        CommandResult typed = CommandResult.on(drover, "rollout", "watch", ID);
        assertThat(typed.out().lines().filter(line -> line.contains(" node a-1 ")))
                .containsExactly(
                        "12:00:00 node a-1 is rolled_back: ROLLED_BACK",
                        "12:00:00 node a-1 is rolled_back: APPLICATION_CRITICAL: ready: HTTP 503",
                        "12:00:00 node a-1 is rolled_back: ROLLED_BACK",
                        "12:00:00 node a-1 is succeeded",
                        "12:00:00 node a-1 is unhealthy: APPLICATION_CRITICAL: ready: HTTP 503",
                        "12:00:00 node a-1 is succeeded");
    }

    private static Snapshot rollingBack(NodeUpgradeStatus status, String reason, String sentence) {
        return new Snapshot(
                rollout(RolloutStatus.ROLLOUT_STATUS_ROLLING_BACK),
                List.of(
                        node().toBuilder()
                                .setStatus(status)
                                .setReason(reason)
                                .setErrorMessage(sentence)
                                .build()));
    }

    @Test
    void printsHowManyNodesAreDoneAndTheTimeLeft() {
        drover.snapshots.addAll(
                List.of(pending(5, 60), pending(3, 30), pending(3, 20), completed()));
        CommandResult typed = CommandResult.on(drover, "rollout", "watch", ID);
        assertThat(typed.out().lines().filter(line -> line.contains(" done")))
                .containsExactly("12:00:00 4 of 7 done, about 30s left");
    }

    private static Snapshot pending(int nodes, int secondsLeft) {
        return new Snapshot(
                rollout(RolloutStatus.ROLLOUT_STATUS_RUNNING).toBuilder()
                        .setTotalNodes(7)
                        .setPendingNodes(nodes)
                        .setExpectedRemaining(Durations.fromSeconds(secondsLeft))
                        .build(),
                List.of(node()));
    }

    @Test
    void endsBadlyWhenTheRolloutWaitsForAPerson() {
        drover.snapshots.addAll(List.of(started(), with(RolloutStatus.ROLLOUT_STATUS_PAUSED)));
        CommandResult typed = CommandResult.on(drover, "rollout", "watch", ID);
        assertThat(typed.exitCode()).isEqualTo(1);
        assertThat(typed.out()).endsWith("is paused.\n");
    }

    /** T16 */
    @Test
    void reportsOnCtrlCThatTheRolloutContinues() {
        drover.snapshots.add(started());
        CommandResult typed = CommandResult.on(drover, "rollout", "watch", ID, "--follow");
        assertThat(typed.err())
                .isEqualTo(
                        "Watching has stopped; the rollout continues. Pause it with 'drover rollout"
                                + " pause "
                                + ID
                                + " --server "
                                + drover.address()
                                + "'.\n");
    }

    @Test
    void staysThroughPausesWhenFollowing() {
        drover.snapshots.addAll(
                List.of(started(), with(RolloutStatus.ROLLOUT_STATUS_PAUSED), completed()));
        assertThat(CommandResult.on(drover, "rollout", "watch", ID, "--follow").exitCode())
                .isZero();
    }

    @Test
    @DisplayName("C15: a status of a newer server ends the wait and is no success")
    void endsWithAStatusThatItDoesNotKnow() {
        Snapshot known = started();
        Snapshot later =
                new Snapshot(known.rollout().toBuilder().setStatusValue(99).build(), known.nodes());
        drover.snapshots.addAll(List.of(known, later));
        CommandResult typed = CommandResult.on(drover, "rollout", "watch", ID, "--follow");
        assertThat(typed.exitCode()).isEqualTo(1);
        assertThat(typed.err()).contains("upgrade the command line");
    }

    @Test
    void livesThroughARestartOfTheServer() {
        drover.snapshots.addAll(List.of(started(), Snapshot.NONE, Snapshot.NONE, completed()));
        CommandResult typed = CommandResult.on(drover, "rollout", "watch", ID);
        assertThat(typed.exitCode()).isZero();
        assertThat(typed.err()).isEmpty();
    }

    @Test
    void redrawsInPlaceOnATerminal() {
        drover.snapshots.addAll(List.of(upgrading(40), completed()));
        CommandResult typed =
                CommandResult.on(
                        drover.address(),
                        new OutputTraits(true, false, 100),
                        "rollout",
                        "watch",
                        ID);
        assertThat(typed.out())
                .isEqualTo(
                        """
                        ~Rollout 4f3c2a10-0000-4000-8000-000000000001  node v1 → v2  chain celestia,\s
                        ~running  batch 1 of 1  [........................] 0/1
                        ~  0 succeeded, 0 failed, 1 pending, 0 skipped, 0 rolled back
                        ~  1 node is at work.
                        ~  NODE  STATUS     PHASE     ACTION            DONE               NOTE
                        ~  a-1   upgrading  MUTATING  install_artifact  [####......] 40 %  -
                        ^[J^[6A~Rollout 4f3c2a10-0000-4000-8000-000000000001  node v1 → v2  chain celestia,\s
                        ~completed  batch 1 of 1  [########################] 1/1
                        ~  1 succeeded, 0 failed, 0 pending, 0 skipped, 0 rolled back
                        ~  All nodes are proven.
                        ^[J"""
                                .replace("~", "\u001b[2K")
                                .replace("^", "\u001b"));
    }

    @Test
    void printsOneDocumentALineAsJson() {
        drover.snapshots.addAll(List.of(started(), started(), completed()));
        CommandResult typed = CommandResult.on(drover, "rollout", "watch", ID, "--output", "json");
        assertThat(typed.out().lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("{\"rollout\":{"));
    }

    private static Snapshot started() {
        return new Snapshot(rollout(RolloutStatus.ROLLOUT_STATUS_RUNNING), List.of(node()));
    }

    private static Snapshot upgrading(int percent) {
        return new Snapshot(
                rollout(RolloutStatus.ROLLOUT_STATUS_RUNNING),
                List.of(
                        node().toBuilder()
                                .setStatus(NodeUpgradeStatus.NODE_UPGRADE_STATUS_UPGRADING)
                                .setUpgradePhase(UpgradePhase.UPGRADE_PHASE_MUTATING)
                                .setAction("install_artifact")
                                .setProgressPercent(percent)
                                .build()));
    }

    private static Snapshot with(RolloutStatus status) {
        return new Snapshot(
                rollout(status).toBuilder().clearExplanation().build(), List.of(node()));
    }

    private static Snapshot completed() {
        Rollout rollout =
                rollout(RolloutStatus.ROLLOUT_STATUS_COMPLETED).toBuilder()
                        .setPendingNodes(0)
                        .setSucceededNodes(1)
                        .setExplanation("All nodes are proven.")
                        .setBatches(
                                0,
                                Batch.newBuilder()
                                        .setPhase(BatchPhase.BATCH_PHASE_PROMOTED)
                                        .setNodes(1)
                                        .setSucceeded(1))
                        .build();
        return new Snapshot(
                rollout,
                List.of(
                        node().toBuilder()
                                .setStatus(NodeUpgradeStatus.NODE_UPGRADE_STATUS_SUCCEEDED)
                                .build()));
    }

    private static Rollout rollout(RolloutStatus status) {
        return Rollout.newBuilder()
                .setId(ID)
                .setChainProfileId("celestia")
                .setBinaryName("node")
                .setSourceVersion("v1")
                .setTargetVersion("v2")
                .setStatus(status)
                .setExplanation("1 node is at work.")
                .setTotalNodes(1)
                .setPendingNodes(1)
                .addBatches(
                        Batch.newBuilder().setPhase(BatchPhase.BATCH_PHASE_DISPATCHING).setNodes(1))
                .build();
    }

    private static RolloutNode node() {
        return RolloutNode.newBuilder()
                .setNodeId("a-1")
                .setStatus(NodeUpgradeStatus.NODE_UPGRADE_STATUS_PENDING)
                .build();
    }
}
