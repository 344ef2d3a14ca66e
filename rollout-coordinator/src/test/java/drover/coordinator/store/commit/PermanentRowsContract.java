package drover.coordinator.store.commit;

import static drover.coordinator.plan.SampleRollout.node;
import static drover.coordinator.store.rollout.StoredRollout.NOW;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.LeaderStore.RolloutWithHistoryHead;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore;
import drover.coordinator.store.node.OperatorNodeRequestStore;
import drover.coordinator.store.rollout.StoredRollout;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What every store keeps once it is written, whatever later steps say. */
public abstract class PermanentRowsContract {
    private static final NodeId NODE = node("demo", 1);
    private static final Cause NOT_BACK = new Cause("NOT_PROVEN_BACK", "Another program runs.");

    private LeaderStore leader;
    private RolloutId id;
    private long epoch;

    public abstract LeaderStore leader();

    public abstract RolloutCreationStore creation();

    public abstract OperatorNodeRequestStore nodeRequests();

    @BeforeEach
    void aRolloutHasAssigned() {
        leader = leader();
        RolloutCreationStore.NewRollout fresh = StoredRollout.fresh(Plan.rolling("demo", 2, 1), "");
        assertThat(creation().create(fresh))
                .isInstanceOf(RolloutCreationStore.CreationResult.Written.class);
        id = fresh.rollout().id();
        epoch = leader.takeOver("test");
        written(StoredRollout.move(epoch, loaded(), new RolloutState.Running(NOW)));
        assign(1);
    }

    @Test
    @DisplayName("D14: whatever makes a node failed_rollback marks it in the same commit")
    void aNodeThatIsNotVerifiedBackIsMarked() {
        receive(1, "FAILED", new NodeState.FailedRollback(1, NOT_BACK, NOW));

        assertThat(guard().failedRollback()).isTrue();
    }

    @Test
    @DisplayName("D14: a node that is proven back needs nobody")
    void aNodeThatFailedAndIsBackIsNotMarked() {
        receive(1, "FAILED", new NodeState.Failed(1, NOT_BACK, NOW));

        assertThat(guard().failedRollback()).isFalse();
    }

    @Test
    @DisplayName("D14: a later attempt does not take the mark off")
    void aMarkOutlivesLaterAttempts() {
        receive(1, "REFUSED", new NodeState.FailedRollback(1, NOT_BACK, NOW));
        assign(2);
        receive(2, "RESTORED", new NodeState.Failed(2, NOT_BACK, NOW));

        assertThat(guard().failedRollback()).isTrue();
    }

    @Test
    @DisplayName("A13: what nobody proved of a retired node may have touched it")
    void anUpgradeThatIsLostMayHaveModifiedItsNode() {
        Rollout unresponsive =
                StoredRollout.changing(
                        loaded().rollout(),
                        NODE,
                        was ->
                                changed(
                                        was,
                                        new NodeState.Unreachable(1, 0, NOT_BACK, NOW),
                                        1,
                                        true));
        written(StoredRollout.commit(epoch, loaded(), unresponsive, List.of(), List.of()));
        nodeRequests().submitRequest(NODE, OperatorNodeRequest.RETIRE, "alice", "key", "scrapped");
        var request = leader.nodeRequests().findPending().getFirst();

        assertThat(leader.nodeRequests().retireNode(epoch, request, NOW))
                .isEqualTo(new LeaderOperatorNodeRequestStore.RetireResult.Done(1));

        NodeUpgrade lost = requireNonNull(loaded().rollout().nodes().get(NODE));
        assertThat(lost.open()).isFalse();
        assertThat(lost.installedBy()).as("so that a rollback does not overlook it").isEqualTo(1);
    }

    @Test
    @DisplayName("D14: a mark and the attempts of a retired machine do not concern the next one")
    void aRetirementEndsTheMarkAndTheAttempts() {
        receive(1, "FAILED", new NodeState.FailedRollback(1, NOT_BACK, NOW));
        assertThat(guard().retiredAttempt()).isZero();
        nodeRequests().submitRequest(NODE, OperatorNodeRequest.RETIRE, "alice", "key", "scrapped");

        leader.nodeRequests()
                .retireNode(epoch, leader.nodeRequests().findPending().getFirst(), NOW);

        assertThat(guard().failedRollback()).isFalse();
        assertThat(guard().retiredAttempt()).isEqualTo(1);
        assertThat(guard().lastAttempt()).as("numbers are never used again").isEqualTo(1);
    }

    @Test
    @DisplayName("A promoted batch stays promoted, whatever the planner asks for")
    void aPromotionIsNeverTakenBack() {
        move(BatchPhase.PROMOTED);
        move(BatchPhase.SETTLING);
        move(BatchPhase.PENDING);

        assertThat(loaded().rollout().batches().getFirst().phase()).isEqualTo(BatchPhase.PROMOTED);
        assertThat(loaded().rollout().batches().getLast().phase())
                .as("the other batch is not held back")
                .isEqualTo(BatchPhase.PENDING);
    }

    @Test
    @DisplayName("What is not promoted yet may go back: a node that is tried again joins it")
    void aBatchThatIsNotPromotedMayGoBack() {
        move(BatchPhase.OBSERVING);
        move(BatchPhase.SETTLING);

        assertThat(loaded().rollout().batches().getFirst().phase()).isEqualTo(BatchPhase.SETTLING);
    }

    private void move(BatchPhase phase) {
        Rollout before = loaded().rollout();
        List<Batch> batches = new ArrayList<>(before.batches());
        Batch first = batches.getFirst();
        batches.set(0, first.withPhase(phase, NOW));
        Rollout after =
                new Rollout(
                        before.id(),
                        before.revision(),
                        before.spec(),
                        before.state(),
                        before.acknowledgedFailures(),
                        before.acceptedOffline(),
                        batches,
                        before.nodes());
        written(StoredRollout.commit(epoch, loaded(), after, List.of(), List.of()));
    }

    private void assign(long attempt) {
        Rollout after =
                StoredRollout.changing(
                        loaded().rollout(),
                        NODE,
                        was ->
                                changed(
                                        was,
                                        new NodeState.Assigned(attempt, false, NOW),
                                        attempt,
                                        true));
        written(
                StoredRollout.commit(
                        epoch,
                        loaded(),
                        after,
                        List.of(StoredRollout.attempt(NODE, attempt)),
                        List.of()));
    }

    private void receive(long attempt, String outcome, NodeState next) {
        Rollout after =
                StoredRollout.changing(
                        loaded().rollout(), NODE, was -> changed(was, next, attempt, false));
        written(
                StoredRollout.commit(
                        epoch,
                        loaded(),
                        after,
                        List.of(),
                        List.of(StoredRollout.report(NODE, attempt, 1, outcome))));
    }

    private static NodeUpgrade changed(
            NodeUpgrade was, NodeState next, long attempt, boolean open) {
        return new NodeUpgrade(
                was.target(),
                was.batch(),
                next,
                1,
                attempt,
                open,
                open ? 0 : 1,
                was.installedBy(),
                was.progress(),
                was.running());
    }

    private void written(Commit commit) {
        assertThat(leader.commit(commit)).isInstanceOf(Commit.Outcome.Committed.class);
    }

    private RolloutWithHistoryHead loaded() {
        return leader.load(id).orElseThrow();
    }

    private NodeAttemptsAndReservation guard() {
        return requireNonNull(leader.findReservations(List.of(NODE)).get(NODE));
    }
}
