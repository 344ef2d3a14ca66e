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
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.health.EvaluatorSelector;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.create.RolloutCreationStore.NewRollout;
import drover.coordinator.store.memory.InMemoryCoordinatorStore;
import drover.coordinator.store.rollout.StoredRollout;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.UpgradePhase;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cost of statuses, in virtual time: 1,000 nodes send 10 statuses each within a second, in random
 * order. Loops tick with the pace of the product.
 */
class StatusFloodTest {
    private static final String GATEWAY = "g1";
    private static final int NODES = 1_000;
    private static final int STATUSES = 10;
    private static final int MAX_COMMITS = 60;
    private static final Duration FLOOD = Duration.ofSeconds(1);
    private static final Duration STEP = Duration.ofMillis(5);

    private Instant now = StoredRollout.NOW;
    private final InMemoryCoordinatorStore store = new InMemoryCoordinatorStore(() -> now);
    private final Map<RolloutId, Integer> commits = new HashMap<>();
    private final Map<NodeId, Integer> commands = new HashMap<>();
    private final Map<NodeId, Integer> acknowledgements = new HashMap<>();
    private final Map<NodeId, Long> acknowledged = new HashMap<>();
    private final Map<RolloutId, Paced> loops = new LinkedHashMap<>();
    private final TreeMap<Instant, List<ReportedStatus>> due = new TreeMap<>();
    private final long epoch = store.takeOver("leader");
    private final LoopDependencies parts = parts();

    /** A loop and the time of its next tick; a status wakes it only while it waits. */
    private static final class Paced {
        private final RolloutLoop loop;
        private Instant next;
        private boolean waits;

        Paced(RolloutLoop loop, Instant next) {
            this.loop = loop;
            this.next = next;
        }
    }

    private LoopDependencies parts() {
        var counting =
                InterceptedLeaderStore.of(
                        store,
                        (method, arguments, call) -> {
                            if (method.equals("commit")) {
                                commits.merge(
                                        ((Commit) arguments[0]).after().id(), 1, Integer::sum);
                            }
                            return call.proceed();
                        });
        NodeReservationCache guards = new NodeReservationCache(counting);
        FleetCache mirror = new FleetCache(() -> now, guards);
        mirror.setGateways(List.of(GATEWAY));
        mirror.applySnapshotEnd(GATEWAY, 0);
        mirror.verdicts().setEvaluatorConnected(true);
        return new LoopDependencies(
                counting, mirror, guards, RolloutTimeouts.STANDARD, () -> now, new Peers());
    }

    /** A running rollout whose nodes are all in flight at once. */
    private Rollout start(String chain, int nodes) {
        NewRollout fresh = StoredRollout.fresh(Plan.rolling(chain, nodes, nodes), "");
        Rollout rollout = fresh.rollout().withSpec(unlimited(fresh.rollout().spec()));
        store.create(
                new NewRollout(
                        rollout,
                        fresh.canarySeed(),
                        fresh.traceId(),
                        fresh.actor(),
                        fresh.key(),
                        fresh.requestDigest(),
                        fresh.payloads(),
                        fresh.contents(),
                        fresh.history(),
                        fresh.plan()));
        OperatorRequest start = new OperatorRequest.Start();
        store.submitRequest(
                rollout.id(), start, SampleRollout.requesterOf(start), rollout.id().value(), "");
        loops.put(
                rollout.id(),
                new Paced(new RolloutLoop(rollout.id(), epoch, parts, this::connect), now));
        return rollout;
    }

    /** The same with room for all nodes at once. */
    private static RolloutSpec unlimited(RolloutSpec spec) {
        try {
            RecordComponent[] components = RolloutSpec.class.getRecordComponents();
            Class<?>[] types = new Class<?>[components.length];
            Object[] values = new Object[components.length];
            for (int i = 0; i < components.length; i++) {
                types[i] = components[i].getType();
                values[i] =
                        components[i].getName().equals("maxInFlight")
                                ? Integer.valueOf(NODES)
                                : components[i].getAccessor().invoke(spec);
            }
            return RolloutSpec.class.getDeclaredConstructor(types).newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private void connect(Collection<NodeId> nodes) {
        long revision = parts.fleet().addInterest(nodes);
        parts.fleet()
                .applyConnected(GATEWAY, nodes.stream().map(StatusFloodTest::present).toList());
        parts.fleet().applySnapshotEnd(GATEWAY, revision);
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
                        "session-" + node,
                        "process",
                        Set.of(),
                        0,
                        Map.of(new BinaryName("web"), program)));
    }

    /** Lets virtual time pass. */
    private void pass(Duration length) {
        Instant until = now.plus(length);
        while (now.isBefore(until)) {
            parts.fleet().confirmFence();
            while (!due.isEmpty() && !due.firstKey().isAfter(now)) {
                arrive(due.pollFirstEntry().getValue());
            }
            loops.values().forEach(this::tick);
            now = now.plus(STEP);
        }
    }

    private void arrive(List<ReportedStatus> reports) {
        parts.fleet().applyStatuses(reports);
        for (ReportedStatus report : reports) {
            Paced paced = loops.get(report.rollout());
            if (paced != null && paced.waits) {
                paced.next = now;
            }
        }
    }

    private void tick(Paced paced) {
        if (now.isBefore(paced.next)) {
            return;
        }
        paced.waits = !(paced.loop.tick() instanceof RolloutLoop.TickResult.TickAgain);
        Duration rest =
                paced.waits
                        ? Duration.ofSeconds(10)
                        : SingleRolloutLoopRunner.pauseAfter(Duration.ZERO).length();
        paced.next = now.plus(rest);
    }

    /** Each node sends its statuses in order, at random times. */
    private void flood(Rollout rollout, Random random) {
        for (NodeId node : rollout.nodes().keySet()) {
            List<Integer> millis = new ArrayList<>();
            for (int status = 0; status < STATUSES; status++) {
                millis.add(random.nextInt((int) FLOOD.toMillis()));
            }
            millis.sort(null);
            for (int status = 1; status <= STATUSES; status++) {
                due.computeIfAbsent(now.plusMillis(millis.get(status - 1)), _ -> new ArrayList<>())
                        .add(status(rollout, node, status));
            }
        }
    }

    private static ReportedStatus status(Rollout rollout, NodeId node, int sequence) {
        boolean last = sequence == STATUSES;
        AttemptStatus report =
                new AttemptStatus(
                        1,
                        sequence,
                        last ? AttemptOutcome.SUCCEEDED : AttemptOutcome.IN_PROGRESS,
                        last ? UpgradePhase.STARTING : UpgradePhase.PREPARING,
                        "action_" + sequence,
                        10 * sequence,
                        "",
                        "",
                        (last ? SampleRollout.NEW : SampleRollout.OLD).value(),
                        (last ? SampleRollout.NEW_CONFIG : SampleRollout.OLD_CONFIG).value(),
                        "run-1");
        return new ReportedStatus(node, rollout.id(), report, new byte[] {1});
    }

    private Rollout stored(Rollout rollout) {
        return store.load(rollout.id()).orElseThrow().rollout();
    }

    @ParameterizedTest(name = "beside {0} other rollouts")
    @DisplayName("1,000 nodes with 10 statuses each: at most 60 commits, one command per node")
    @ValueSource(ints = {0, 200})
    void commitsAndSendsDoNotGrowWithTheStatuses(int others) {
        Rollout large = start("demo", NODES);
        List<Rollout> small = new ArrayList<>();
        for (int other = 1; other <= others; other++) {
            small.add(start("other-" + other, 1));
        }
        pass(Duration.ofSeconds(1));
        assertThat(stored(large).nodes().values())
                .as("all are in flight")
                .allMatch(node -> node.state() instanceof NodeState.Assigned);
        int before = commits.getOrDefault(large.id(), 0);
        assertThat(before).as("commits of the start and of the assignment").isLessThanOrEqualTo(5);

        Random random = new Random(1);
        flood(large, random);
        small.forEach(rollout -> flood(rollout, random));
        pass(FLOOD.plusSeconds(1));

        assertThat(stored(large).nodes().values())
                .as("every last status was taken in")
                .allMatch(node -> node.state() instanceof NodeState.Settling);
        assertThat(commits.getOrDefault(large.id(), 0) - before)
                .as("commits for %d statuses", NODES * STATUSES)
                .isPositive()
                .isLessThanOrEqualTo(MAX_COMMITS);
        assertThat(commands)
                .as("commands per node")
                .hasSize(NODES + others)
                .allSatisfy((_, sent) -> assertThat(sent).isEqualTo(1));
        assertThat(acknowledged)
                .as("the last status of each node is acknowledged")
                .hasSize(NODES + others)
                .allSatisfy((_, last) -> assertThat(last).isEqualTo(STATUSES));
        assertThat(acknowledgements)
                .as("acknowledgements per node")
                .allSatisfy((_, sent) -> assertThat(sent).isLessThanOrEqualTo(STATUSES));
        small.forEach(
                rollout ->
                        assertThat(commits.get(rollout.id()))
                                .as("commits of a rollout with one node")
                                .isLessThanOrEqualTo(STATUSES + 5));
    }

    @Test
    @DisplayName("C11: statuses that are repeated cause no commit and no command")
    void repeatedStatusesCauseNothing() {
        Rollout large = start("demo", NODES);
        pass(Duration.ofSeconds(1));
        flood(large, new Random(1));
        pass(FLOOD.plusSeconds(1));
        int before = commits.getOrDefault(large.id(), 0);

        flood(large, new Random(2));
        pass(FLOOD.plusSeconds(1));

        assertThat(commits.get(large.id())).isEqualTo(before);
        assertThat(commands).allSatisfy((_, sent) -> assertThat(sent).isEqualTo(1));
    }

    /** Counts what leaves for agents. */
    private final class Peers implements EffectRunner.PeerClient {
        @Override
        public void deliver(String gateway, List<MessageToNode> deliveries) {
            deliveries.forEach(one -> commands.merge(one.node(), 1, Integer::sum));
        }

        @Override
        public void acknowledge(List<StatusAcknowledgementToAgent> sent) {
            for (StatusAcknowledgementToAgent one : sent) {
                acknowledgements.merge(one.node(), 1, Integer::sum);
                acknowledged.merge(one.node(), one.sequence(), Math::max);
            }
        }

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
