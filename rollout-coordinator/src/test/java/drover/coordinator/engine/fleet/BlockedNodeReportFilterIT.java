package drover.coordinator.engine.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import drover.coordinator.engine.leader.LeaderTerm;
import drover.coordinator.engine.leader.TermFixture;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.rollout.StoredHashChain;
import drover.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A leader over a real database, and a gateway that has lost its own way there. */
class BlockedNodeReportFilterIT {
    private static final Duration SOON = Waits.LIMIT;
    private final Queue<MessageToNode> received = new ConcurrentLinkedQueue<>();
    @AutoClose private TermFixture rig;
    private NodeId node;

    @BeforeEach
    void createARollout() {
        rig = new TermFixture(Plan.rolling("demo", 2, 1));
        node = rig.node(1);
        rig.gateway.onDelivery(received::add); // agents that hear, and never begin
    }

    private long commands() {
        return received.stream()
                .filter(MessageToNode.Command.class::isInstance)
                .filter(delivery -> delivery.node().equals(node))
                .count();
    }

    private NodeState state() {
        return Objects.requireNonNull(rig.rollout().nodes().get(node)).state();
    }

    @Test
    @DisplayName("H3: a node that is revoked while it is at work gets no further command")
    void whoIsRevokedAtWorkGetsNoFurtherCommand() {
        rig.expireCommandsAfter(Duration.ofSeconds(2));
        LeaderTerm term = rig.lead();
        rig.submit(new OperatorRequest.Start());
        await().atMost(SOON).until(() -> commands() == 1);
        rig.registered = List.of(); // its gateway speaks, and cannot look
        rig.blocked.add(node);
        await().atMost(SOON).until(() -> !isPresent(term));

        rig.connect(node, "session-2", false); // let in again by what its gateway remembers

        await().atMost(SOON).until(() -> state() instanceof NodeState.Unreachable);
        assertThat(isPresent(term)).isFalse();
        assertThat(commands()).as("the one of before").isEqualTo(1);
        assertThat(StoredHashChain.breaks(rig.database, rig.id)).isEmpty();
    }

    private boolean isPresent(LeaderTerm term) {
        return term.fleetView().node(node) instanceof NodeView.Present;
    }

    @Test
    @DisplayName("H3: a node that was revoked before its turn gets no command at all")
    void whoWasRevokedBeforeItsTurnGetsNoCommandAtAll() {
        rig.expireCommandsAfter(Duration.ofSeconds(2));
        rig.lead();
        rig.blocked.add(node);

        rig.submit(new OperatorRequest.Start());

        await().atMost(SOON).until(() -> state() instanceof NodeState.Unreachable);
        assertThat(commands()).isZero();
    }

    @Test
    @DisplayName("H3, A7: one that was revoked where nobody looks is offline when its turn comes")
    void nodeRevokedAtAnUnwatchedGatewayIsOffline() {
        rig.gateway.onDelivery(rig::obey);
        LeaderTerm term = rig.lead();
        await().atMost(SOON).until(() -> isPresent(term));
        rig.registered = List.of();
        rig.blocked.add(node);
        await().atMost(SOON).until(() -> !isPresent(term));

        rig.submit(new OperatorRequest.Start());

        await().atMost(SOON).until(() -> rig.rollout().state() instanceof RolloutState.Paused);
        assertThat(state()).isInstanceOf(NodeState.Skipped.class);
        assertThat(rig.deliveries()).allMatch(delivery -> delivery.node().equals(rig.node(2)));
    }

    private boolean isForTheNewMachine(MessageToNode delivery) {
        return delivery.node().equals(node) && delivery.session().equals("session-2");
    }

    @Test
    @DisplayName(
            "H3: a machine that was enrolled anew, and dialled before the leader knew, is told of its work")
    void acceptsAMachineAfterItsNewEnrollment() {
        LeaderTerm term = rig.lead();
        rig.submit(new OperatorRequest.Start());
        await().atMost(SOON).until(() -> commands() == 1);
        rig.blocked.add(node);
        await().atMost(SOON).until(() -> !isPresent(term));
        rig.connect(node, "session-2", false);
        received.clear();

        rig.blocked.clear();

        await().atMost(SOON).until(() -> isPresent(term));
        await().atMost(SOON).until(() -> received.stream().anyMatch(this::isForTheNewMachine));
    }
}
