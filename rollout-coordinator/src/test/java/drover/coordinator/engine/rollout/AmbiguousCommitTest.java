package drover.coordinator.engine.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.fleet.NodeReservationCache;
import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.peers.GatewayLink.StatusAcknowledgementToAgent;
import drover.coordinator.peers.HealthEvaluatorLink.Watch;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.health.EvaluatorSelector;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.create.RolloutCreationStore.NewRollout;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.memory.InMemoryCoordinatorStore;
import drover.coordinator.store.rollout.StoredRollout;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * B8, C12: the database commits a step, and its answer is lost. The loop must read the rollout
 * again: in memory it is older than the database.
 */
class AmbiguousCommitTest {
    private static final Instant NOW = StoredRollout.NOW;
    private static final int MAX_TICKS = 50;

    private final InMemoryCoordinatorStore database = new InMemoryCoordinatorStore(() -> NOW);
    private final List<MessageToNode> sent = new ArrayList<>();
    private final NewRollout created =
            StoredRollout.fresh(SampleRollout.Plan.rolling("demo", 1, 1), new BinaryName("web"));
    private final RolloutId id = created.rollout().id();
    private final NodeId node = created.rollout().nodes().keySet().iterator().next();
    private boolean losesResponses;
    private RolloutLoop loop;

    @BeforeEach
    void build() {
        database.create(created);
        long epoch = database.takeOver("leader");
        LeaderStore store = InterceptedLeaderStore.of(database, this::call);
        NodeReservationCache guards = new NodeReservationCache(store);
        FleetCache mirror = new FleetCache(() -> NOW, guards);
        loop =
                new RolloutLoop(
                        id,
                        epoch,
                        new LoopDependencies(
                                store,
                                mirror,
                                guards,
                                RolloutTimeouts.STANDARD,
                                () -> NOW,
                                new Peers()),
                        nodes -> connect(mirror, nodes));
    }

    private Object call(String method, Object[] arguments, InterceptedLeaderStore.Call call)
            throws Throwable {
        Object answer = call.proceed();
        if (losesResponses && method.equals("commit")) {
            throw new StoreUnavailable("The answer is lost", new IllegalStateException());
        }
        return answer;
    }

    private static void connect(FleetCache mirror, Collection<NodeId> nodes) {
        long revision = mirror.addInterest(nodes);
        mirror.setGateways(Set.of("g1"));
        mirror.confirmFence();
        nodes.forEach(one -> mirror.applyConnected("g1", List.of(present(one))));
        mirror.applySnapshotEnd("g1", revision);
    }

    private static ConnectedNode present(NodeId node) {
        NodeView.ProgramView program =
                new NodeView.ProgramView(
                        new Version("v1"),
                        SampleRollout.OLD.value(),
                        SampleRollout.OLD_CONFIG.value(),
                        true);
        return new ConnectedNode(
                node,
                1,
                1,
                new NodeView.Present(
                        "session", "process", Set.of(), 0, Map.of(new BinaryName("web"), program)));
    }

    private void submit(OperatorRequest request) {
        database.submitRequest(id, request, SampleRollout.requesterOf(request), "key", "");
    }

    private NodeUpgrade storedNode() {
        return Objects.requireNonNull(stored().nodes().get(node));
    }

    private Rollout stored() {
        return database.load(id).orElseThrow().rollout();
    }

    private void tickUntilNothingChanges() {
        for (int tick = 0; tick < MAX_TICKS; tick++) {
            if (!(loop.tick() instanceof RolloutLoop.TickResult.TickAgain)) {
                return;
            }
        }
        throw new AssertionError("The rollout never comes to rest");
    }

    private void loseTheAnswerOfTheNextCommit() {
        losesResponses = true;
        assertThatThrownBy(this::tickUntilNothingChanges).isInstanceOf(StoreUnavailable.class);
        losesResponses = false;
    }

    @Test
    @DisplayName("B8, C12: a start that was committed and seemed to fail takes effect")
    void aCommittedStartThatSeemsToFailTakesEffect() {
        submit(new OperatorRequest.Start());
        loseTheAnswerOfTheNextCommit();
        assertThat(stored().state()).isInstanceOf(RolloutState.Running.class);

        tickUntilNothingChanges();

        assertThat(storedNode().state()).isInstanceOf(NodeState.Assigned.class);
        assertThat(sent).hasSize(1);
    }

    @Test
    @DisplayName("B8: an attempt whose commit seemed to fail is sent once, under its number")
    void aCommittedAttemptThatSeemsToFailIsSent() {
        submit(new OperatorRequest.Start());
        assertThat(loop.tick()).isInstanceOf(RolloutLoop.TickResult.TickAgain.class);
        while (!(storedNode().state() instanceof NodeState.Assigned)) {
            loseTheAnswerOfTheNextCommit();
        }
        assertThat(sent).as("nothing is sent before its commit is known").isEmpty();

        tickUntilNothingChanges();

        assertThat(storedNode().attempt()).isEqualTo(1);
        assertThat(sent).hasSize(1);
    }

    private final class Peers implements EffectRunner.PeerClient {
        @Override
        public void deliver(String gateway, List<MessageToNode> deliveries) {
            sent.addAll(deliveries);
        }

        @Override
        public void acknowledge(List<StatusAcknowledgementToAgent> acknowledgements) {}

        @Override
        public void watch(RolloutId of, Collection<Watch> watches) {}

        @Override
        public void unwatch(Map<NodeId, Long> attempts) {}

        @Override
        public void switchEvaluator(RolloutId of, EvaluatorSelector.NodesWithoutData withoutData) {}

        @Override
        public long evaluatorGeneration(RolloutId of) {
            return 1;
        }
    }
}
