package drover.coordinator.store.commit;

import static drover.coordinator.plan.SampleRollout.node;
import static drover.coordinator.store.rollout.StoredRollout.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.LeaderStore.RolloutWithHistoryHead;
import drover.coordinator.store.node.OperatorNodeRequestStore;
import drover.coordinator.store.rollout.StoredRollout;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Over which rollouts an ended one may be rolled back, as every store must tell (DESIGN § 4). One
 * node, whose attempts are numbered as they come.
 */
public abstract class SupersededContract {
    private static final Plan PLAN = Plan.rolling("demo", 1, 1);
    private static final NodeId NODE = node("demo", 1);

    private LeaderStore leader;
    private RolloutCreationStore creation;
    private long epoch;
    private RolloutId first;

    public abstract LeaderStore leader();

    public abstract RolloutCreationStore creation();

    public abstract OperatorNodeRequestStore nodeRequests();

    @BeforeEach
    void oneRolloutHasInstalled() {
        leader = leader();
        creation = creation();
        epoch = leader.takeOver("test");
        first = installed("web", 1);
    }

    @Test
    void theLatestChangeOfAProgramIsNotSuperseded() {
        assertThat(leader.findSupersededNodes(first)).isEmpty();
    }

    @Test
    void aLaterChangeOfTheSameProgramSupersedes() {
        RolloutId second = installed("web", 2);

        assertThat(leader.findSupersededNodes(first)).containsExactly(NODE);
        assertThat(leader.findSupersededNodes(second)).isEmpty();
    }

    @Test
    void aLaterChangeOfAnotherProgramDoesNot() {
        installed("cache", 2);

        assertThat(leader.findSupersededNodes(first)).isEmpty();
    }

    @Test
    void aLaterAttemptThatWentBackByItselfDoesNot() {
        RolloutId second = running("web");
        assign(second, 2, 0);
        receive(second, 2, "FAILED", 0);

        assertThat(leader.findSupersededNodes(first)).isEmpty();
    }

    @Test
    void aLaterChangeThatWasTakenBackDoesNot() {
        RolloutId second = installed("web", 2);
        RolloutId third = installed("web", 3);
        takenBack(third, 4, 3);
        assertThat(leader.findSupersededNodes(first)).as("the second stands").containsExactly(NODE);

        takenBack(second, 5, 2);

        assertThat(leader.findSupersededNodes(first)).isEmpty();
    }

    @Test
    @DisplayName("A13: what was gone back behind has nothing to be taken back from")
    void goingBackBehindAChangeSupersedesIt() {
        RolloutId second = running("web");
        assign(second, 2, 0);
        move(second, new RolloutState.Cancelling(NOW));
        move(second, new RolloutState.Cancelled(NOW));
        move(first, new RolloutState.RollingBack(NOW));
        leader.applyLateStatus(epoch, StoredRollout.report(NODE, 2, 1, "SUCCEEDED"), NOW);
        assertThat(leader.findSupersededNodes(second)).isEmpty();

        assign(first, 3, 1);
        receive(first, 3, "RESTORED", 0);

        assertThat(leader.findSupersededNodes(second)).containsExactly(NODE);
    }

    @Test
    @DisplayName("A2: what was changed after the decision is found out by the commit")
    void aSupersededRolloutIsNotOpenedAgain() {
        installed("web", 2);

        assertThat(
                        leader.commit(
                                StoredRollout.move(
                                        epoch, loaded(first), new RolloutState.RollingBack(NOW))))
                .isInstanceOf(Commit.Outcome.Conflict.class);

        assertThat(loaded(first).rollout().state()).isInstanceOf(RolloutState.Completed.class);
        assertThat(leader.findActiveOrRequested()).as("the chain is free").isEmpty();
    }

    @Test
    @DisplayName("R1: a change on another machine of the name does not supersede the retired one's")
    void aLaterChangeAfterARetirementDoesNot() {
        retire();
        RolloutId second = installed("web", 2);

        assertThat(leader.findSupersededNodes(first)).isEmpty();
        assertThat(leader.findSupersededNodes(second)).isEmpty();
    }

    private void retire() {
        nodeRequests().submitRequest(NODE, OperatorNodeRequest.RETIRE, "alice", "key", "scrapped");
        leader.nodeRequests()
                .retireNode(epoch, leader.nodeRequests().findPending().getFirst(), NOW);
    }

    private RolloutId installed(String program, long attempt) {
        RolloutId id = running(program);
        assign(id, attempt, 0);
        receive(id, attempt, "SUCCEEDED", attempt);
        move(id, new RolloutState.Completed(NOW));
        return id;
    }

    private RolloutId running(String program) {
        RolloutCreationStore.NewRollout fresh = StoredRollout.fresh(PLAN, new BinaryName(program));
        assertThat(creation.create(fresh))
                .isInstanceOf(RolloutCreationStore.CreationResult.Written.class);
        move(fresh.rollout().id(), new RolloutState.Running(NOW));
        return fresh.rollout().id();
    }

    private void takenBack(RolloutId id, long attempt, long restoreOf) {
        move(id, new RolloutState.RollingBack(NOW));
        assign(id, attempt, restoreOf);
        receive(id, attempt, "RESTORED", 0);
        move(id, new RolloutState.RolledBack(NOW));
    }

    private RolloutWithHistoryHead loaded(RolloutId id) {
        return leader.load(id).orElseThrow();
    }

    private void move(RolloutId id, RolloutState next) {
        written(StoredRollout.move(epoch, loaded(id), next));
    }

    private void assign(RolloutId id, long attempt, long restoreOf) {
        Rollout after =
                StoredRollout.changing(
                        loaded(id).rollout(),
                        NODE,
                        was -> StoredRollout.inAttempt(was, attempt, true, 0, was.installedBy()));
        written(
                StoredRollout.commit(
                        epoch,
                        loaded(id),
                        after,
                        List.of(StoredRollout.attempt(NODE, attempt, restoreOf)),
                        List.of()));
    }

    private void receive(RolloutId id, long attempt, String outcome, long installedBy) {
        Rollout after =
                StoredRollout.changing(
                        loaded(id).rollout(),
                        NODE,
                        was -> StoredRollout.inAttempt(was, attempt, false, 1, installedBy));
        written(
                StoredRollout.commit(
                        epoch,
                        loaded(id),
                        after,
                        List.of(),
                        List.of(StoredRollout.report(NODE, attempt, 1, outcome))));
    }

    private void written(Commit commit) {
        assertThat(leader.commit(commit)).isInstanceOf(Commit.Outcome.Committed.class);
    }
}
