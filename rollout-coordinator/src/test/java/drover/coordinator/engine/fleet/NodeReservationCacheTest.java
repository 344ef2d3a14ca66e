package drover.coordinator.engine.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.memory.InMemoryCoordinatorStore;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a leader remembers of nodes from one commit to the next. */
class NodeReservationCacheTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final RolloutId OWN = new RolloutId("own");
    private static final RolloutId OTHER = new RolloutId("other");
    private static final NodeId NODE = SampleRollout.node("demo", 1);
    private static final NodeId NEXT = SampleRollout.node("demo", 2);

    private final NodeReservationCache guards =
            new NodeReservationCache(new InMemoryCoordinatorStore(Instant::now));
    private Rollout rollout = SampleRollout.of(OWN, Plan.rolling("demo", 2, 1), NOW);

    @BeforeEach
    void read() {
        guards.load(List.of(NODE, NEXT));
    }

    @Test
    @DisplayName("A4 F1: from its beginning until it is proven a node is no other rollout's")
    void holdsANodeUntilItIsVerified() {
        started();
        assertThat(guard().openFor()).isEqualTo(OWN);
        assertThat(guard().otherReservingRollout(OTHER)).isEqualTo(OWN);
        assertThat(guard().otherReservingRollout(OWN)).isNull();
        assertThat(guards.of(NEXT)).as("not begun").isEqualTo(NodeAttemptsAndReservation.FRESH);

        committed(new NodeState.Settling(1, "run", NOW), List.of(), List.of(ended(false)));
        assertThat(guard().openFor()).isNull();
        assertThat(guard().otherReservingRollout(OTHER)).isEqualTo(OWN);

        committed(new NodeState.Succeeded(1, "run", NOW), List.of(), List.of());
        assertThat(guard().otherReservingRollout(OTHER)).isNull();
        assertThat(guard().lastAttempt()).isEqualTo(1);
        assertThat(guard().failedRollback()).isFalse();
    }

    @Test
    @DisplayName("D14: a node shown as failed_rollback waits for a person, whoever found it out")
    void marksWhatOnlyThePlannerFoundOut() {
        started();
        NodeState found = new NodeState.FailedRollback(1, new Cause("UNPROVEN", "Why."), NOW);

        committed(found, List.of(), List.of());

        assertThat(guard().failedRollback()).isTrue();
        assertThat(guards.of(NEXT).failedRollback()).isFalse();
    }

    @Test
    @DisplayName("D14: so does one whose agent says so")
    void marksWhatTheAgentReports() {
        started();

        committed(new NodeState.Upgrading(1, NOW), List.of(), List.of(ended(true)));

        assertThat(guard().failedRollback()).isTrue();
    }

    private void started() {
        committed(
                new NodeState.Assigned(1, false, NOW),
                List.of(new Commit.NewAttempt(NODE, 1, 0, new byte[0], "")),
                List.of());
    }

    private static Commit.ReportedAttemptStatus ended(boolean failedRollback) {
        return new Commit.ReportedAttemptStatus(
                NODE, 1, 1, new byte[0], "ENDED", true, failedRollback, "", "", "");
    }

    private void committed(
            NodeState state,
            List<Commit.NewAttempt> attempts,
            List<Commit.ReportedAttemptStatus> reports) {
        Rollout before = rollout;
        Map<NodeId, NodeUpgrade> nodes = new LinkedHashMap<>(before.nodes());
        nodes.computeIfPresent(NODE, (id, was) -> in(was, state));
        rollout =
                new Rollout(
                        before.id(),
                        1,
                        before.spec(),
                        before.state(),
                        0,
                        0,
                        before.batches(),
                        nodes);
        guards.applyCommit(
                OWN, new Commit(1, before, rollout, List.of(), "", attempts, reports, List.of()));
    }

    private static NodeUpgrade in(NodeUpgrade was, NodeState state) {
        return new NodeUpgrade(
                was.target(), was.batch(), state, 1, 1, false, 1, 0, was.progress(), was.running());
    }

    private NodeAttemptsAndReservation guard() {
        return guards.of(NODE);
    }
}
