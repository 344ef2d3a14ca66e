package drover.coordinator.engine.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.fleet.NodeReservationCache;
import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.MessageToNode;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.peers.GatewayLink.StatusAcknowledgementToAgent;
import drover.coordinator.peers.HealthEvaluatorLink.Watch;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.health.EvaluatorSelector;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.step.Effect;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.LeaderStore.StoredUnsignedCommand;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EffectRunnerTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final NodeId NODE = SampleRollout.node("demo", 1);
    private static final Set<Effect> COMMAND = Set.of(new Effect.Command(NODE, 1));

    private final Rollout rollout =
            SampleRollout.of(new RolloutId("r"), SampleRollout.Plan.rolling("demo", 1, 1), START);
    private final List<MessageToNode> sent = new ArrayList<>();
    private final List<StatusAcknowledgementToAgent> acknowledged = new ArrayList<>();
    private final List<String> requested = new ArrayList<>(); // of evaluators
    private final Set<NodeId> waitedFor = new HashSet<>();
    private long generation;
    private final LeaderStore store = store();
    private final FleetCache mirror = new FleetCache(() -> START, new NodeReservationCache(store));
    private final EffectRunner runner =
            new EffectRunner(store, mirror, new Recording(), 4, "0123456789abcdef0123456789abcdef");

    @BeforeEach
    void connectTheNode() {
        connect("session-1");
    }

    private void connect(String session) {
        mirror.applyConnected(
                "g1",
                List.of(
                        new ConnectedNode(
                                NODE,
                                1,
                                1,
                                new NodeView.Present(session, "process", Set.of(), 0, Map.of()))));
    }

    private void runAfter(Duration later, Set<Effect> effects) {
        runner.run(rollout, effects, START.plus(later));
    }

    @Test
    @DisplayName("C1, C14: a command is sent once, and again only when unanswered for 10 s")
    void sendsACommandAgainOnlyWhenItStaysUnanswered() {
        runAfter(Duration.ZERO, COMMAND);
        runAfter(Duration.ofSeconds(5), COMMAND);
        runAfter(Duration.ofMillis(9_999), COMMAND);
        assertThat(sent).hasSize(1);

        runAfter(Duration.ofSeconds(10), COMMAND);
        assertThat(sent).hasSize(2);
    }

    @Test
    @DisplayName("C13: a new session is told at once")
    void sendsACommandAgainToANewSession() {
        runAfter(Duration.ZERO, COMMAND);
        connect("session-2");
        runAfter(Duration.ofSeconds(1), COMMAND);

        assertThat(sent)
                .map(delivery -> ((MessageToNode.Command) delivery).session())
                .containsExactly("session-1", "session-2");
    }

    @Test
    @DisplayName("B4: what is sent carries the epoch")
    void sendsAWithdrawalInPlaceOfTheCommand() {
        runAfter(Duration.ZERO, COMMAND);
        runAfter(Duration.ofSeconds(1), Set.of(new Effect.Withdraw(NODE, 1)));

        assertThat(sent).last().isEqualTo(new MessageToNode.Withdraw(NODE, "session-1", 1, 4));
    }

    @Test
    void sendsNothingToANodeThatIsNotConnected() {
        mirror.applyDisconnected("g1", List.of(NODE));
        runAfter(Duration.ZERO, COMMAND);

        assertThat(sent).isEmpty();
    }

    @Test
    @DisplayName("C10, C11: acknowledged once, and again when the status comes again")
    void acknowledgesOnceForEachArrival() {
        Set<Effect> ack = Set.of(new Effect.Acknowledge(NODE, 1, 3));
        arrives();
        runAfter(Duration.ZERO, ack);
        runAfter(Duration.ofSeconds(20), ack);
        assertThat(acknowledged).hasSize(1);

        arrives();
        runAfter(Duration.ofSeconds(21), ack);
        assertThat(acknowledged).hasSize(2);
    }

    @Test
    @DisplayName("F3: whoever is asked elsewhere is told everything in the same round")
    void sendsAllWatchesToTheNewEvaluator() {
        Effect.Watch watch =
                new Effect.Watch(NODE, 1, "run", SampleRollout.OLD, SampleRollout.OLD_CONFIG);
        runAfter(Duration.ZERO, Set.of(watch));
        runAfter(Duration.ofSeconds(1), Set.of(watch));
        assertThat(requested).containsExactly("watch");

        runAfter(Duration.ofSeconds(40), Set.of(watch, new Effect.SwitchHealthEvaluator(NODE, 1)));
        assertThat(requested).containsExactly("watch", "elsewhere", "watch");
        runAfter(Duration.ofSeconds(41), Set.of());
        assertThat(requested).last().isEqualTo("unwatch");
    }

    static List<NodeState> watchedStates() {
        return List.of(
                new NodeState.Settling(1, "run", START),
                new NodeState.Observed(1, "run", START, START),
                new NodeState.Succeeded(1, "run", START),
                new NodeState.Restored(1, "run", START));
    }

    @ParameterizedTest
    @MethodSource("watchedStates")
    @DisplayName("R3: an evaluator without data of a watched node is not asked again for it")
    void remembersTheEvaluatorsThatHadNoDataOfAWatchedNode(NodeState state) {
        Map<NodeId, NodeUpgrade> nodes = new HashMap<>(rollout.nodes());
        nodes.computeIfPresent(
                NODE, (_, node) -> NodeUpgrade.withoutAttempts(node.target(), node.batch(), state));
        Rollout watched =
                new Rollout(
                        rollout.id(),
                        1,
                        rollout.spec(),
                        new RolloutState.Running(START),
                        0,
                        0,
                        rollout.batches(),
                        nodes);
        runner.run(watched, Set.of(new Effect.SwitchHealthEvaluator(NODE, 1)), START);
        assertThat(waitedFor).containsExactly(NODE);
    }

    @Test
    @DisplayName("F3, H3: what was said of a barred node is asked for again when it is back")
    void resubscribesOnceNodesAreUnblocked() {
        Effect.Watch watch =
                new Effect.Watch(NODE, 1, "run", SampleRollout.OLD, SampleRollout.OLD_CONFIG);
        runAfter(Duration.ZERO, Set.of(watch));
        var _ = mirror.block(Set.of(NODE));
        runAfter(Duration.ofSeconds(1), Set.of(watch));
        assertThat(requested).containsExactly("watch");

        long _ = mirror.unblock(Set.of(NODE));
        runAfter(Duration.ofSeconds(2), Set.of(watch));
        runAfter(Duration.ofSeconds(3), Set.of(watch));
        assertThat(requested).containsExactly("watch", "watch");
    }

    private void arrives() {
        AttemptStatus report =
                new AttemptStatus(
                        1, 3, AttemptOutcome.SUCCEEDED, null, "", 0, "", "", "", "", "run");
        mirror.applyStatuses(List.of(new ReportedStatus(NODE, rollout.id(), report, new byte[0])));
    }

    /** A store that knows one command and nothing else. */
    private static LeaderStore store() {
        return (LeaderStore)
                Proxy.newProxyInstance(
                        LeaderStore.class.getClassLoader(),
                        new Class<?>[] {LeaderStore.class},
                        (proxy, method, arguments) ->
                                method.getName().equals("loadCommands")
                                        ? Map.of(
                                                NODE, new StoredUnsignedCommand(new byte[0], false))
                                        : Map.of());
    }

    private final class Recording implements EffectRunner.PeerClient {
        @Override
        public void deliver(String gateway, List<MessageToNode> deliveries) {
            sent.addAll(deliveries);
        }

        @Override
        public void acknowledge(List<StatusAcknowledgementToAgent> acknowledgements) {
            acknowledged.addAll(acknowledgements);
        }

        @Override
        public void watch(RolloutId of, Collection<Watch> watches) {
            requested.add("watch");
        }

        @Override
        public void unwatch(Map<NodeId, Long> attempts) {
            requested.add("unwatch");
        }

        @Override
        public void switchEvaluator(RolloutId of, EvaluatorSelector.NodesWithoutData withoutData) {
            assertThat(withoutData.nodes()).containsExactly(NODE);
            waitedFor.addAll(withoutData.waitedFor());
            requested.add("elsewhere");
            generation++;
        }

        @Override
        public long evaluatorGeneration(RolloutId of) {
            return generation;
        }
    }
}
