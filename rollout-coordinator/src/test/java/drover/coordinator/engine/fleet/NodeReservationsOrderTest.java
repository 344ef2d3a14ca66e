package drover.coordinator.engine.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.rollout.InterceptedLeaderStore;
import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.memory.InMemoryCoordinatorStore;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A4: two rollout loops of one leader share the records of a node. */
class NodeReservationsOrderTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final RolloutId OWN = new RolloutId("own");
    private static final RolloutId OTHER = new RolloutId("other");
    private static final NodeId NODE = SampleRollout.node("demo", 1);
    private static final Rollout ROLLOUT = SampleRollout.of(OWN, Plan.rolling("demo", 1, 1), NOW);

    private NodeAttemptsAndReservation inTheTable = NodeAttemptsAndReservation.FRESH;
    private final NodeReservationCache guards =
            new NodeReservationCache(
                    InterceptedLeaderStore.of(
                            new InMemoryCoordinatorStore(() -> NOW),
                            (method, _, call) ->
                                    method.equals("findReservations")
                                            ? Map.of(NODE, inTheTable)
                                            : call.proceed()));

    @BeforeEach
    void assign() {
        guards.load(List.of(NODE));
        guards.applyCommit(
                OWN,
                step(
                        in(new NodeState.Assigned(1, false, NOW)),
                        List.of(new Commit.NewAttempt(NODE, 1, 0, new byte[0], "")),
                        List.of()));
        assertThat(guards.of(NODE).openFor()).isEqualTo(OWN);
    }

    private static Map<NodeId, NodeUpgrade> in(NodeState state) {
        NodeUpgrade was = ROLLOUT.nodes().values().iterator().next();
        Map<NodeId, NodeUpgrade> nodes = new LinkedHashMap<>();
        nodes.put(
                NODE,
                new NodeUpgrade(
                        was.target(),
                        was.batch(),
                        state,
                        1,
                        1,
                        false,
                        1,
                        0,
                        was.progress(),
                        was.running()));
        return nodes;
    }

    private static Commit step(
            Map<NodeId, NodeUpgrade> nodes,
            List<Commit.NewAttempt> attempts,
            List<Commit.ReportedAttemptStatus> reports) {
        Rollout after =
                new Rollout(
                        OWN, 1, ROLLOUT.spec(), ROLLOUT.state(), 0, 0, ROLLOUT.batches(), nodes);
        return new Commit(1, ROLLOUT, after, List.of(), "", attempts, reports, List.of());
    }

    private static List<Commit.ReportedAttemptStatus> ended() {
        return List.of(
                new Commit.ReportedAttemptStatus(
                        NODE, 1, 1, new byte[0], "ENDED", true, false, "", "", ""));
    }

    @Test
    @DisplayName("A4: records that another loop read before the attempt ended do not reopen it")
    void aStaleReadDoesNotReopenAnAttempt() {
        guards.applyCommit(
                OWN, step(in(new NodeState.Settling(1, "run", NOW)), List.of(), ended()));

        inTheTable = new NodeAttemptsAndReservation(1, OWN, false); // read before the commit
        guards.load(List.of(NODE));

        assertThat(guards.of(NODE).openFor()).isNull();
        assertThat(guards.of(NODE).inHandOf()).isEqualTo(OWN);
    }

    @Test
    @DisplayName("D14: records that another loop read before a retirement do not undo it")
    void aStaleReadDoesNotUndoARetirement() {
        guards.applyCommit(OWN, step(in(new NodeState.Pending(NOW)), List.of(), ended()));
        guards.retire(NODE, 0);

        inTheTable = new NodeAttemptsAndReservation(1, null, true); // read before the retirement
        guards.load(List.of(NODE));

        assertThat(guards.of(NODE).failedRollback()).isFalse();
        assertThat(guards.of(NODE).retiredAttempt()).isEqualTo(1);
    }

    @Test
    @DisplayName("A4: records that another loop read before an attempt was allotted do not hide it")
    void aStaleReadDoesNotHideAnAttempt() {
        inTheTable = NodeAttemptsAndReservation.FRESH;
        guards.load(List.of(NODE));

        assertThat(guards.of(NODE).lastAttempt()).isEqualTo(1);
        assertThat(guards.of(NODE).otherReservingRollout(OTHER)).isEqualTo(OWN);
    }

    @Test
    @DisplayName("A4: while a commit is taken over the node is never free for another loop")
    void theNodeIsNeverFreeWhileACommitIsTakenOver() {
        Map<NodeId, NodeUpgrade> checked =
                new CheckedMap(in(new NodeState.Settling(1, "run", NOW)));
        guards.applyCommit(OWN, step(checked, List.of(), ended()));

        assertThat(guards.of(NODE).openFor()).as("the attempt is closed").isNull();
        assertThat(guards.of(NODE).otherReservingRollout(OTHER)).isEqualTo(OWN);
    }

    /** Checks what another loop would see each time the nodes of the commit are read. */
    private final class CheckedMap extends LinkedHashMap<NodeId, NodeUpgrade> {
        private static final long serialVersionUID = 1;

        private CheckedMap(Map<NodeId, NodeUpgrade> nodes) {
            super(nodes);
        }

        @Override
        public Collection<NodeUpgrade> values() {
            Collection<NodeUpgrade> nodes = super.values();
            return new AbstractCollection<>() {
                @Override
                public Iterator<NodeUpgrade> iterator() {
                    assertThat(guards.of(NODE).otherReservingRollout(OTHER))
                            .as("owner of the node, as another loop sees it during the commit")
                            .isEqualTo(OWN);
                    return nodes.iterator();
                }

                @Override
                public int size() {
                    return nodes.size();
                }
            };
        }
    }
}
