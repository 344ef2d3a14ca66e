package drover.coordinator.engine.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.fleet.NodeReservationCache;
import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.coordinator.peers.GatewayLink.StatusAcknowledgementToAgent;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.AgentFinding;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.create.RolloutCreationStore.NewRollout;
import drover.coordinator.store.incident.IncidentViews;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.memory.InMemoryCoordinatorStore;
import drover.coordinator.store.rollout.StoredRollout;
import drover.coordinator.store.sql.UnwritableValue;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.UpgradePhase;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** J1, J3: one node sends a status with a value that the database rejects. */
class UnwritableStatusTest {
    private static final Instant NOW = StoredRollout.NOW;
    private static final int NODES = 9;
    private static final int MAX_TICKS = 100;
    private static final String REJECTED = "rejected by the database";

    private final InMemoryCoordinatorStore database = new InMemoryCoordinatorStore(() -> NOW);
    private final NewRollout created =
            StoredRollout.fresh(
                    SampleRollout.Plan.rolling("demo", NODES, NODES), new BinaryName("web"));
    private final RolloutId id = created.rollout().id();
    private final List<NodeId> nodes = List.copyOf(created.rollout().nodes().keySet());
    private final Set<NodeId> acknowledged = new HashSet<>();
    private final List<RolloutState> rejected = new ArrayList<>();
    private FleetCache mirror;
    private RolloutLoop loop;

    @BeforeEach
    void assignAllNodes() {
        database.create(created);
        long epoch = database.takeOver("leader");
        LeaderStore store = InterceptedLeaderStore.of(database, this::call);
        NodeReservationCache guards = new NodeReservationCache(store);
        mirror = new FleetCache(() -> NOW, guards);
        LoopDependencies parts =
                new LoopDependencies(
                        store, mirror, guards, RolloutTimeouts.STANDARD, () -> NOW, peers());
        loop = new RolloutLoop(id, epoch, parts, this::connect);
        submit(new OperatorRequest.Start());
        tickUntilNothingChanges();
        assertThat(nodes).allMatch(node -> state(node) instanceof NodeState.Assigned);
    }

    /**
     * Rejects what PostgreSQL rejects: a value that it cannot store, wherever the commit has it.
     */
    private Object call(String method, Object[] arguments, InterceptedLeaderStore.Call call)
            throws Throwable {
        if (arguments.length > 0 && arguments[0] instanceof Commit commit) {
            boolean unwritable =
                    Objects.requireNonNull(commit.decision()).changed().values().stream()
                            .anyMatch(facts -> facts.toString().contains(REJECTED));
            if (unwritable) {
                rejected.add(commit.after().state());
                throw new UnwritableValue("committing", new IllegalStateException(REJECTED));
            }
        }
        return call.proceed();
    }

    private EffectRunner.PeerClient peers() {
        return (EffectRunner.PeerClient)
                Proxy.newProxyInstance(
                        EffectRunner.PeerClient.class.getClassLoader(),
                        new Class<?>[] {EffectRunner.PeerClient.class},
                        (_, method, arguments) -> {
                            if (method.getName().equals("acknowledge")) {
                                ((List<?>) arguments[0])
                                        .forEach(
                                                one ->
                                                        acknowledged.add(
                                                                ((StatusAcknowledgementToAgent) one)
                                                                        .node()));
                            }
                            return method.getReturnType() == long.class ? (Object) 1L : null;
                        });
    }

    private void connect(Collection<NodeId> interest) {
        long revision = mirror.addInterest(interest);
        mirror.setGateways(Set.of("g1"));
        mirror.confirmFence();
        interest.forEach(one -> mirror.applyConnected("g1", List.of(present(one))));
        mirror.applySnapshotEnd("g1", revision);
        mirror.verdicts().setEvaluatorConnected(true);
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
        database.submitRequest(
                id, request, SampleRollout.requesterOf(request), request.toString(), "");
    }

    /** The node has installed the target. */
    private void reports(NodeId node, String detail) {
        AttemptStatus report =
                new AttemptStatus(
                        1,
                        1,
                        AttemptOutcome.SUCCEEDED,
                        UpgradePhase.STARTING,
                        "start_node",
                        100,
                        "",
                        detail,
                        SampleRollout.NEW.value(),
                        SampleRollout.NEW_CONFIG.value(),
                        "run-1");
        mirror.applyStatuses(List.of(new ReportedStatus(node, id, report, new byte[] {1})));
    }

    private Rollout stored() {
        return database.load(id).orElseThrow().rollout();
    }

    private NodeState state(NodeId node) {
        return Objects.requireNonNull(stored().nodes().get(node)).state();
    }

    private void tickUntilNothingChanges() {
        for (int tick = 0; tick < MAX_TICKS; tick++) {
            if (!(loop.tick() instanceof RolloutLoop.TickResult.TickAgain)) {
                return;
            }
        }
        throw new AssertionError("The rollout never comes to rest");
    }

    private Set<NodeId> nodesWithRejectedMessages() {
        Set<NodeId> found = new HashSet<>();
        mirror.findings()
                .findings()
                .forEach(
                        (node, findings) -> {
                            if (findings.stream()
                                    .map(AgentFinding::code)
                                    .anyMatch(AgentFinding.MESSAGE_REJECTED::equals)) {
                                found.add(node);
                            }
                        });
        return found;
    }

    @ParameterizedTest(name = "the status of node {0}")
    @ValueSource(ints = {0, 4, 8})
    @DisplayName("J1, J3: the statuses of all other nodes are applied, and the node is reported")
    void theStatusesOfOtherNodesAreApplied(int sender) {
        NodeId faulty = nodes.get(sender);
        nodes.forEach(node -> reports(node, node.equals(faulty) ? REJECTED : ""));

        tickUntilNothingChanges();

        List<NodeId> others = nodes.stream().filter(node -> !node.equals(faulty)).toList();
        assertThat(others).allMatch(node -> state(node) instanceof NodeState.Settling);
        assertThat(state(faulty)).isInstanceOf(NodeState.Assigned.class);
        assertThat(acknowledged).containsExactlyInAnyOrderElementsOf(others);
        assertThat(nodesWithRejectedMessages()).containsExactly(faulty);
        assertThat(mirror.receivedStatus(faulty)).as("the status is dropped").isEmpty();
        assertThat(rejected).as("commits that fail: about 2 log2(9)").hasSizeLessThan(10);
    }

    @Test
    void reportsSeveralSendersOnly() {
        nodes.forEach(node -> reports(node, nodes.indexOf(node) % 4 == 1 ? REJECTED : ""));
        tickUntilNothingChanges();
        assertThat(nodesWithRejectedMessages())
                .containsExactlyInAnyOrder(nodes.get(1), nodes.get(5));
        assertThat(nodes.stream().filter(node -> state(node) instanceof NodeState.Settling))
                .hasSize(7);
    }

    @Test
    @DisplayName("J3: requests are decided next to a status that the database rejects")
    void requestsAreDecided() {
        reports(nodes.getFirst(), REJECTED);
        submit(new OperatorRequest.Pause());
        tickUntilNothingChanges();
        assertThat(stored().state()).isInstanceOf(RolloutState.Paused.class);
        assertThat(nodesWithRejectedMessages()).containsExactly(nodes.getFirst());
    }

    @Test
    @DisplayName("J3: a rejected value that is no status opens an incident of the rollout")
    void anotherRejectedValueOpensAnIncident() {
        reports(nodes.getFirst(), "");
        tickUntilNothingChanges();
        mirror.verdicts().update(nodes.getFirst(), new HealthVerdict.Settling(1, REJECTED));
        reports(nodes.getLast(), "");

        assertThatThrownBy(this::tickUntilNothingChanges).isInstanceOf(UnwritableValue.class);
        assertThatThrownBy(this::tickUntilNothingChanges).isInstanceOf(UnwritableValue.class);

        assertThat(
                        database.incidents()
                                .list(new IncidentViews.Query(null, null, "", null, null, 100)))
                .singleElement()
                .satisfies(
                        incident -> {
                            assertThat(incident.because().code()).isEqualTo("COMMIT_REJECTED");
                            assertThat(incident.rollout()).isEqualTo(id);
                        });
        assertThat(nodesWithRejectedMessages()).isEmpty();

        mirror.verdicts().update(nodes.getFirst(), new HealthVerdict.Settling(1, "It starts."));
        tickUntilNothingChanges();

        assertThat(database.incidents().allOpenIncidents()).as("the rollout continues").isEmpty();
        assertThat(state(nodes.getLast())).isInstanceOf(NodeState.Settling.class);
    }
}
