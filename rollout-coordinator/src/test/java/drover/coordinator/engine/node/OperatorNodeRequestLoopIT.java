package drover.coordinator.engine.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.agent.v1.CommandBody;
import drover.coordinator.Waits;
import drover.coordinator.engine.leader.TermFixture;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.request.PostgresRolloutRequestStore;
import drover.coordinator.store.rollout.NodeHistory;
import drover.coordinator.store.rollout.PostgresRolloutViews;
import drover.coordinator.store.rollout.StoredHashChain;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What operators ask of nodes, decided by a leader over a real database. */
class OperatorNodeRequestLoopIT {
    private static final Duration SOON = Waits.LIMIT;
    @AutoClose private TermFixture rig;
    private NodeId node;

    @BeforeEach
    void createARollout() {
        rig = new TermFixture(Plan.rolling("demo", 2, 1));
        node = rig.node(1);
    }

    private void awaitOutcome(UUID request, String outcome) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(rig.outcome(request)).isEqualTo(outcome));
    }

    private void awaitState(Class<? extends NodeState> state) {
        await().atMost(SOON).until(() -> state.isInstance(state()));
    }

    private NodeState state() {
        return java.util.Objects.requireNonNull(rig.rollout().nodes().get(node)).state();
    }

    private boolean isMarked() {
        return rig.database.count(
                        "SELECT count(*) FROM node_guard WHERE failed_rollback AND node_id = ?",
                        node.value())
                == 1;
    }

    private void failsToComeBack() {
        rig.gateway.onDelivery(
                delivery ->
                        rig.report(
                                delivery.node(),
                                TermFixture.body((MessageToNode.Command) delivery).getAttempt(),
                                AttemptOutcome.FAILED_ROLLBACK));
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        awaitState(NodeState.FailedRollback.class);
    }

    @Test
    @DisplayName(
            "D14: the mark goes when the agent has looked, and not before; then it is used again")
    void aNodeIsClearedByTheWordOfItsAgent() {
        failsToComeBack();
        rig.gateway.onDelivery(delivery -> {}); // the agent hears nothing
        UUID clear = rig.submit(node, OperatorNodeRequest.CLEAR);
        await().atMost(SOON)
                .until(
                        () ->
                                rig.database.count("SELECT count(*) FROM node_attempt WHERE open")
                                        == 1);
        assertThat(rig.outcome(clear)).isEqualTo("pending");
        assertThat(isMarked()).isTrue();

        rig.gateway.onDelivery(rig::obey);
        rig.connect(node, "session-2", false); // its agent dials anew, so it is told again

        awaitOutcome(clear, "applied");
        assertThat(isMarked()).isFalse();
        await().atMost(SOON).until(() -> rig.gateway.isAcknowledged(node));
        rig.submit(new OperatorRequest.RetryNode(node));
        rig.submit(new OperatorRequest.Resume(0));
        awaitState(NodeState.Succeeded.class);
        assertThat(StoredHashChain.breaks(rig.database, rig.id)).isEmpty();
    }

    @Test
    @DisplayName(
            "D14: a node that says it is back and is not needs a clear before it is tried again")
    void aNodeThatIsNotVerifiedBackNeedsAClear() {
        rig.gateway.onDelivery(this::reportRestored);
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        awaitState(NodeState.FailedRollback.class);
        assertThat(isMarked()).isTrue();
        await().atMost(SOON).until(() -> rig.rollout().state() instanceof RolloutState.Paused);

        UUID retry = rig.submit(new OperatorRequest.RetryNode(node));
        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(
                                                new PostgresRolloutRequestStore(
                                                                rig.database.database())
                                                        .requestStatus(retry)
                                                        .orElseThrow()
                                                        .refusalCode())
                                        .isEqualTo("NODE_FAILED_ROLLBACK"));
    }

    private void reportRestored(MessageToNode delivery) {
        long attempt = TermFixture.body((MessageToNode.Command) delivery).getAttempt();
        AttemptStatus upgraded = rig.status(attempt, AttemptOutcome.SUCCEEDED);
        rig.gateway.report(
                delivery.node(),
                rig.id,
                new AttemptStatus(
                        attempt,
                        upgraded.sequence(),
                        AttemptOutcome.FAILED,
                        null,
                        "",
                        0,
                        "START_FAILED",
                        "It ended within 3 s of its start.",
                        upgraded.runningDigest(),
                        upgraded.configDigest(),
                        ""));
    }

    @Test
    @DisplayName("D14: a node whose agent asks for a clear that nobody knew of can be cleared")
    void anUnknownMarkOfAnAgentIsWrittenDown() {
        rig.gateway.onDelivery(this::assertClearCommand);
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        awaitState(NodeState.Skipped.class);

        assertThat(isMarked()).isTrue();
    }

    private void assertClearCommand(MessageToNode delivery) {
        long attempt = TermFixture.body((MessageToNode.Command) delivery).getAttempt();
        AttemptStatus refused = rig.status(attempt, AttemptOutcome.REFUSED);
        rig.gateway.report(
                delivery.node(),
                rig.id,
                new AttemptStatus(
                        attempt,
                        refused.sequence(),
                        AttemptOutcome.REFUSED,
                        null,
                        "",
                        0,
                        "NEEDS_CLEAR",
                        "The node could not be brought back earlier.",
                        refused.runningDigest(),
                        refused.configDigest(),
                        ""));
    }

    @Test
    @DisplayName("B6: a clear that was allotted is carried out by the next leader")
    void aClearOutlivesItsLeader() {
        failsToComeBack();
        rig.gateway.onDelivery(delivery -> {});
        UUID clear = rig.submit(node, OperatorNodeRequest.CLEAR);
        await().atMost(SOON)
                .until(
                        () ->
                                rig.database.count("SELECT count(*) FROM node_attempt WHERE open")
                                        == 1);

        rig.gateway.onDelivery(rig::obey);
        rig.lead();

        awaitOutcome(clear, "applied");
        assertThat(isMarked()).isFalse();
    }

    @Test
    @DisplayName("A mark stays when the agent refuses, and the operator hears it")
    void anAgentMayRefuse() {
        failsToComeBack();
        rig.gateway.onDelivery(
                delivery ->
                        rig.gateway.report(
                                node,
                                null,
                                rig.status(
                                        TermFixture.body((MessageToNode.Command) delivery)
                                                .getAttempt(),
                                        AttemptOutcome.REFUSED)));

        awaitOutcome(rig.submit(node, OperatorNodeRequest.CLEAR), "CLEAR_REFUSED");
        assertThat(isMarked()).isTrue();
    }

    @Test
    void refusesToClearAnUnmarkedOfflineOrBusyNode() {
        rig.gateway.onDelivery(delivery -> {});
        rig.lead();
        awaitOutcome(rig.submit(node, OperatorNodeRequest.CLEAR), "NOTHING_TO_CLEAR");

        rig.submit(new OperatorRequest.Start());
        awaitState(NodeState.Assigned.class);
        awaitOutcome(rig.submit(node, OperatorNodeRequest.CLEAR), "NODE_IN_FLIGHT");

        rig.gateway.disconnect(rig.node(2));
        awaitOutcome(rig.submit(rig.node(2), OperatorNodeRequest.CLEAR), "NODE_OFFLINE");
    }

    @Test
    @DisplayName("Issue 4: what holds a rollout up is left alone by one request, and it ends")
    void whatHoldsARolloutUpIsLeftAlone() {
        failsToComeBack();
        await().atMost(SOON).until(() -> rig.rollout().state() instanceof RolloutState.Paused);
        rig.gateway.onDelivery(rig::obey);

        UUID skip = rig.submit(new OperatorRequest.SkipNodes(List.of()));

        awaitState(NodeState.Skipped.class);
        assertThat(answer(skip)).isEmpty();
        assertThat(isMarked()).as("it is still to be put right by hand").isTrue();
        rig.submit(new OperatorRequest.Resume(0));
        await().atMost(SOON).until(() -> rig.rollout().state() instanceof RolloutState.Completed);
        assertThat(StoredHashChain.breaks(rig.database, rig.id)).isEmpty();
    }

    @Test
    void nodesThatAreNamedAreSkippedTogetherOrNotAtAll() {
        rig.lead();
        NodeId stranger = new NodeId("stranger");

        UUID wrong = rig.submit(new OperatorRequest.SkipNodes(List.of(node, stranger)));

        await().atMost(SOON)
                .untilAsserted(() -> assertThat(answer(wrong)).isEqualTo("NODE_NOT_IN_ROLLOUT"));
        assertThat(state()).isInstanceOf(NodeState.Pending.class);

        rig.submit(new OperatorRequest.SkipNodes(List.of(node, rig.node(2))));

        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(rig.rollout().nodes().values())
                                        .extracting(NodeUpgrade::state)
                                        .hasOnlyElementsOfType(NodeState.Skipped.class));
        assertThat(requests(stranger)).as("what was asked of it is told of each").hasSize(1);
        assertThat(requests(node)).hasSize(2);
    }

    @Test
    @DisplayName("R1: after a retirement, a rollback does not restore another machine of the name")
    void anotherMachineUnderTheNameIsNotRestored() {
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        awaitRollout(RolloutState.Completed.class);
        rig.gateway.onDelivery(this::rejectRestore);
        rig.submit(new OperatorRequest.Rollback());
        awaitRollout(RolloutState.Failed.class);
        assertThat(isMarked()).isTrue();

        rig.gateway.disconnect(node);
        awaitOutcome(rig.submit(node, OperatorNodeRequest.RETIRE), "applied");
        assertThat(isMarked()).isFalse();
        rig.gateway.onDelivery(this::clearOnly);
        rig.connect(node, "another-machine", true); // its agent has no journal
        clearOnceItIsConnected();
        rig.submit(new OperatorRequest.Rollback());

        awaitRollout(RolloutState.RolledBack.class);
        assertThat(state())
                .isInstanceOfSatisfying(
                        NodeState.Skipped.class,
                        skipped -> assertThat(skipped.reason()).isEqualTo(SkipReason.RETIRED));
        assertThat(isMarked()).isFalse();
        assertThat(StoredHashChain.breaks(rig.database, rig.id)).isEmpty();
    }

    /** Before that there is nothing to clear. */
    private void clearOnceItIsConnected() {
        await().atMost(SOON)
                .until(
                        () -> {
                            UUID request = rig.submit(node, OperatorNodeRequest.CLEAR);
                            await().atMost(SOON)
                                    .until(() -> !rig.outcome(request).equals("pending"));
                            return rig.outcome(request).equals("applied");
                        });
    }

    private void awaitRollout(Class<? extends RolloutState> state) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(rig.rollout().state()).isInstanceOf(state));
    }

    /** The disk of the node is full. */
    private void rejectRestore(MessageToNode delivery) {
        CommandBody body = TermFixture.body((MessageToNode.Command) delivery);
        if (body.hasRestore() && delivery.node().equals(node)) {
            rig.report(node, body.getAttempt(), AttemptOutcome.REFUSED);
        } else {
            rig.obey(delivery);
        }
    }

    private void clearOnly(MessageToNode delivery) {
        assertThat(TermFixture.body((MessageToNode.Command) delivery).hasClear()).isTrue();
        rig.obey(delivery);
    }

    private List<NodeHistory.SubmittedRequest> requests(NodeId of) {
        return new PostgresRolloutViews(rig.database.database())
                .nodeHistory(of.value(), rig.store.databaseTime(), 10)
                .requests();
    }

    private String answer(UUID request) {
        return new PostgresRolloutRequestStore(rig.database.database())
                .requestStatus(request)
                .orElseThrow()
                .refusalCode();
    }

    @Test
    @DisplayName("A clear towards more risk expires; a retirement does not")
    void onlyAClearExpires() {
        UUID clear = rig.submit(node, OperatorNodeRequest.CLEAR);
        UUID retire = rig.submit(rig.node(2), OperatorNodeRequest.RETIRE);
        rig.database.run("UPDATE node_request SET created_at = now() - interval '61 seconds'");

        rig.lead();

        awaitOutcome(clear, "REQUEST_EXPIRED");
        awaitOutcome(retire, "applied");
    }

    @Test
    @DisplayName(
            "R1: retiring closes the attempt of a dead node as lost, once its rollout gave it up")
    void aRetiredNodeIsLost() {
        rig.expireCommandsAfter(Duration.ofSeconds(2));
        rig.gateway.onDelivery(delivery -> {});
        rig.lead();
        rig.submit(new OperatorRequest.Start());
        awaitState(NodeState.Assigned.class);
        rig.gateway.disconnect(node);
        UUID retire = rig.submit(node, OperatorNodeRequest.RETIRE);
        assertThat(state()).isInstanceOf(NodeState.Assigned.class);
        assertThat(rig.outcome(retire)).isEqualTo("pending");

        awaitOutcome(retire, "applied"); // by the deadlines of its rollout

        assertThat(state()).isInstanceOf(NodeState.Unreachable.class);
        assertThat(rig.database.row("SELECT outcome, open FROM node_attempt"))
                .containsEntry("outcome", "LOST")
                .containsEntry("open", false);
        assertThat(rig.database.count("SELECT count(*) FROM history WHERE code = 'RETIRED'"))
                .isEqualTo(1);
        rig.gateway.onDelivery(rig::obey);
        rig.submit(new OperatorRequest.SkipNode(node));
        rig.submit(new OperatorRequest.Resume(0));
        await().atMost(SOON)
                .untilAsserted(
                        () ->
                                assertThat(rig.rollout().state())
                                        .isInstanceOf(RolloutState.Completed.class));
        assertThat(StoredHashChain.breaks(rig.database, rig.id)).isEmpty();
    }
}
