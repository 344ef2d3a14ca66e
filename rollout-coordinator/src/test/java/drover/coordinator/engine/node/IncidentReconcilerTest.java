package drover.coordinator.engine.node;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.fleet.FleetCache;
import drover.coordinator.engine.fleet.NodeReservationCache;
import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.engine.rollout.EffectRunner;
import drover.coordinator.engine.rollout.LoopDependencies;
import drover.coordinator.peers.GatewayLink.ConnectedNode;
import drover.coordinator.peers.GatewayLink.ReportedProgramHealth;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.AgentFinding;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.NodeView.ProgramHealth.Level;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.incident.IncidentViews;
import drover.coordinator.store.incident.LeaderIncidentStore.OpenIncident;
import drover.coordinator.store.memory.InMemoryCoordinatorStore;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore;
import drover.coordinator.store.rollout.StoredRollout;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Incidents of misplaced identities under a clock of the test, while gateways come and go. */
class IncidentReconcilerTest {
    private static final Duration STEP = Duration.ofSeconds(5); // shorter than sight lasts
    private static final Duration REMEMBERED = Duration.ofMinutes(15);
    private static final NodeId NODE = SampleRollout.node("demo", 1);
    private static final NodeId OTHER = SampleRollout.node("demo", 2);
    private static final Set<NodeId> NONE = Set.of();
    private static final BinaryName PROGRAM = new BinaryName("web");
    private static final AgentFinding FALLS =
            new AgentFinding(AgentFinding.CRASH_LOOP, "web", "It falls.");

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final InMemoryCoordinatorStore store = new InMemoryCoordinatorStore(() -> now);
    private FleetCache mirror;
    private IncidentReconciler incidents;
    private final Set<NodeId> interest = new HashSet<>();
    private Set<NodeId> blocked = NONE;
    private long epoch;

    /** Another leader, which has heard nothing yet. */
    @BeforeEach
    void lead() {
        mirror = new FleetCache(() -> now, new NodeReservationCache(store));
        mirror.setGateways(Set.of("g1", "g2"));
        mirror.confirmFence();
        LoopDependencies parts =
                new LoopDependencies(
                        store,
                        requested -> blocked,
                        mirror,
                        new NodeReservationCache(store),
                        RolloutTimeouts.STANDARD,
                        () -> now,
                        none(),
                        LoopMeter.NONE);
        epoch = store.takeOver("leader");
        incidents = new IncidentReconciler(epoch, parts, interest::addAll);
    }

    private static EffectRunner.PeerClient none() {
        return (EffectRunner.PeerClient)
                Proxy.newProxyInstance(
                        EffectRunner.PeerClient.class.getClassLoader(),
                        new Class<?>[] {EffectRunner.PeerClient.class},
                        (proxy, method, arguments) -> null);
    }

    /** A gateway that has just been attached says all it knows. */
    private void reports(String gateway, Set<NodeId> nodes) {
        mirror.findings().setMisplacedIdentities(gateway, nodes);
        mirror.applySnapshotEnd(gateway, 0);
        assertThat(incidents.tickUnlessStale()).isTrue();
    }

    private void passes(Duration time) {
        for (Instant until = now.plus(time); now.isBefore(until); ) {
            now = now.plus(STEP);
            mirror.confirmFence();
            assertThat(incidents.tickUnlessStale()).isTrue();
        }
    }

    /** Long enough for what is due to have been looked at. */
    private void passesByMoreThan(Duration time) {
        passes(time.plusMinutes(1));
    }

    private List<NodeId> open() {
        return store.incidents().findOpenWhileReported().keySet().stream()
                .map(OpenIncident::node)
                .toList();
    }

    private int opened() {
        return store.incidents()
                .list(new IncidentViews.Query(null, null, "", null, null, 100))
                .size();
    }

    private void anIncidentThatHasLasted() {
        reports("g1", Set.of(NODE));
        reports("g2", NONE);
        passesByMoreThan(REMEMBERED);
        assertThat(store.incidents().findOpenWhileReported())
                .containsOnlyKeys(new OpenIncident(IncidentCategory.IDENTITY_MISMATCH, NODE, null));
    }

    @Test
    @DisplayName("H1: it is over at once when the gateway that knew says so, and all were heard")
    void isOverWhenItIsShownNoMore() {
        anIncidentThatHasLasted();
        reports("g1", NONE);
        assertThat(open()).isEmpty();
    }

    @Test
    @DisplayName("H1: after a fail-over one gateway's empty word closes nothing")
    void isNotOverWhileOneGatewayHasNotSpoken() {
        anIncidentThatHasLasted();
        lead();
        reports("g2", NONE);
        passesByMoreThan(REMEMBERED);
        assertThat(open()).containsExactly(NODE);

        reports("g1", Set.of(NODE));
        passesByMoreThan(REMEMBERED);
        assertThat(open()).containsExactly(NODE);
        assertThat(opened()).as("it was never opened anew").isEqualTo(1);
    }

    @Test
    @DisplayName("H1: a new leader listens for as long as gateways remember before it closes one")
    void aNewLeaderWaitsForAsLongAsGatewaysRemember() {
        anIncidentThatHasLasted();
        lead();
        reports("g1", NONE);
        reports("g2", NONE);
        passes(REMEMBERED.minusMinutes(1));
        assertThat(open()).containsExactly(NODE);

        passesByMoreThan(Duration.ofMinutes(1));
        assertThat(open()).isEmpty();
    }

    @Test
    @DisplayName("H1: what a gateway knew whose link was cut is not over, and not opened anew")
    void staysOpenWhileTheGatewayIsUnavailable() {
        anIncidentThatHasLasted();
        mirror.markGatewayLost("g1");
        passesByMoreThan(REMEMBERED);
        assertThat(open()).containsExactly(NODE);

        reports("g1", Set.of(NODE));
        passesByMoreThan(Duration.ofMinutes(1));
        assertThat(open()).containsExactly(NODE);
        assertThat(opened()).isEqualTo(1);
    }

    @Test
    @DisplayName("H1: whoever called at a gateway that is no more has the time to call at another")
    void isOverSomeTimeAfterTheGatewayThatKnewIsNoMore() {
        anIncidentThatHasLasted();
        mirror.markGatewayLost("g1");
        mirror.setGateways(Set.of("g2"));
        passes(REMEMBERED.minusMinutes(1));
        assertThat(open()).containsExactly(NODE);

        passesByMoreThan(Duration.ofMinutes(1));
        assertThat(open()).isEmpty();
    }

    @Test
    @DisplayName("H1: no incident of a retired node is opened while gateways still remember it")
    void aRetiredNodeIsNotMisplaced() {
        mirror.markRetired(NODE);
        reports("g1", Set.of(NODE));
        passes(REMEMBERED);
        reports("g1", Set.of(NODE, OTHER));
        assertThat(open()).containsExactly(OTHER);

        passesByMoreThan(Duration.ofMinutes(1));
        assertThat(open())
                .as("its credential is shown anew: it was registered again")
                .containsExactlyInAnyOrder(NODE, OTHER);
    }

    @Test
    @DisplayName("H1: nor is one opened by the leader that follows the one which retired the node")
    void aNodeThatAnEarlierLeaderRetiredIsNotMisplaced() {
        var _ =
                store.nodeRequestStore()
                        .submitRequest(
                                NODE, OperatorNodeRequest.RETIRE, "alice", "key", "it burned");
        LeaderOperatorNodeRequestStore.PendingNodeRequest requested =
                store.nodeRequests().findPending().getFirst();
        assertThat(store.nodeRequests().retireNode(epoch, requested, now))
                .isInstanceOf(LeaderOperatorNodeRequestStore.RetireResult.Done.class);

        lead();
        reports("g1", Set.of(NODE, OTHER));
        passes(REMEMBERED);
        assertThat(open()).containsExactly(OTHER);

        passesByMoreThan(Duration.ofMinutes(1));
        assertThat(open())
                .as("its credential is shown anew: it was registered again")
                .containsExactlyInAnyOrder(NODE, OTHER);
    }

    /** A cancelled rollout, of which the node is unhealthy at the target. */
    private void aNodeOfAnEndedRolloutIsUnhealthy() {
        RolloutCreationStore.NewRollout fresh =
                StoredRollout.fresh(SampleRollout.Plan.rolling("demo", 1, 1), "");
        store.create(fresh);
        RolloutId id = fresh.rollout().id();
        Cause critical = new Cause("CRITICAL", "Probe 'ready' saw status 503.");
        store.incidents()
                .write(epoch, List.of(IncidentRules.unhealthyIncident(NODE, id, critical)), now);
        RolloutState ended = new RolloutState.Running(now).cancel(now).finishCancelling(now);
        store.commit(StoredRollout.move(epoch, store.load(id).orElseThrow(), ended));
        assertThat(openUnhealthy()).containsExactly(NODE);
    }

    private List<NodeId> openUnhealthy() {
        return store.incidents().allOpenIncidents().stream()
                .filter(one -> one.category() == IncidentCategory.NODE_UNHEALTHY)
                .map(OpenIncident::node)
                .toList();
    }

    private void reportsHealth(Level level) {
        mirror.applyProgramHealth(
                "g1",
                Map.of(NODE, List.of(new ReportedProgramHealth(PROGRAM, level, "As it is."))));
    }

    private void connectsToGateway() {
        mirror.addInterest(List.of(NODE));
        NodeView.ProgramView program = new NodeView.ProgramView(new Version("v1"), "", "", true);
        NodeView.Present view =
                new NodeView.Present("s1", "process", Set.of(), 0, Map.of(PROGRAM, program));
        mirror.applyConnected("g1", List.of(new ConnectedNode(NODE, 1, 1, view)));
        mirror.applySnapshotEnd("g1", mirror.interestRevision());
    }

    @Test
    @DisplayName("A22: the incident of an ended rollout is over when the node is healthy again")
    void anUnhealthyNodeOfAnEndedRolloutIsHealthyAgain() {
        aNodeOfAnEndedRolloutIsUnhealthy();
        connectsToGateway();
        reportsHealth(Level.CRITICAL);
        passes(Duration.ofMinutes(5));
        assertThat(openUnhealthy()).containsExactly(NODE);

        reportsHealth(Level.HEALTHY);
        passes(Duration.ofMinutes(5));
        assertThat(openUnhealthy()).isEmpty();
        assertThat(interest).as("gateways report its health").contains(NODE);
    }

    @Test
    @DisplayName("R3: without health data the incident of an ended rollout stays open")
    void anUnhealthyNodeOfAnEndedRolloutWithoutDataStaysUnhealthy() {
        aNodeOfAnEndedRolloutIsUnhealthy();
        passes(Duration.ofMinutes(5));
        assertThat(openUnhealthy()).containsExactly(NODE);
    }

    @Test
    @DisplayName("H3: what is told late of a node that is out of service opens nothing")
    void opensNothingForANodeThatIsOutOfService() {
        blocked = Set.of(NODE);
        mirror.findings().replaceFindings(Map.of(NODE, List.of(FALLS), OTHER, List.of(FALLS)));
        assertThat(incidents.tickUnlessStale()).isTrue();
        assertThat(open()).containsExactly(OTHER);

        blocked = NONE;
        passes(Duration.ofMinutes(1));
        assertThat(open()).as("its next machine did not say so").containsExactly(OTHER);
        mirror.findings().replaceFindings(Map.of(NODE, List.of(FALLS)));
        assertThat(incidents.tickUnlessStale()).isTrue();
        assertThat(open()).as("now it did").containsExactlyInAnyOrder(NODE, OTHER);
    }

    @Test
    @DisplayName("H3: what was open when the node was revoked is still told of, and stays")
    void keepsWhatWasOpenWhenTheNodeWasRevoked() {
        mirror.findings().replaceFindings(Map.of(NODE, List.of(FALLS)));
        assertThat(incidents.tickUnlessStale()).isTrue();
        blocked = Set.of(NODE);
        passes(Duration.ofMinutes(1));
        assertThat(open()).containsExactly(NODE);
    }

    @Test
    @DisplayName(
            "H1: that its identity was copied is said of a locked node, for which nobody may speak")
    void reportsALockedNodeAsCloned() {
        blocked = Set.of(NODE);
        mirror.findings().setLockedNodes("g1", Set.of(NODE));
        assertThat(incidents.tickUnlessStale()).isTrue();
        assertThat(open()).containsExactly(NODE);
    }
}
