package drover.coordinator.store.memory;

import static drover.coordinator.store.rollout.StoredRollout.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.LateStatusResult;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.leader.LeaderStore.RolloutWithHistoryHead;
import drover.coordinator.store.rollout.StoredRollout;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.coordinator.store.sql.UnwritableValue;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The same facts as {@link drover.coordinator.store.leader.LeaderStoreIT} finds in PostgreSQL. */
class InMemoryCoordinatorStoreTest {
    private final InMemoryCoordinatorStore store = new InMemoryCoordinatorStore(() -> NOW);
    private RolloutId id = new RolloutId("00000000-0000-0000-0000-000000000000");
    private NodeId first = new NodeId("none");
    private long epoch;

    @BeforeEach
    void createARollout() {
        RolloutCreationStore.NewRollout fresh = StoredRollout.fresh(Plan.rolling("demo", 3, 2), "");
        id = fresh.rollout().id();
        first = fresh.rollout().nodes().keySet().iterator().next();
        store.create(fresh);
        epoch = store.takeOver("first");
    }

    private RolloutWithHistoryHead loaded() {
        return store.load(id).orElseThrow();
    }

    private Commit.Outcome move(RolloutState next) {
        return store.commit(StoredRollout.move(epoch, loaded(), next));
    }

    private Commit.Outcome assign(long attempt) {
        return store.commit(
                StoredRollout.commit(
                        epoch,
                        loaded(),
                        loaded().rollout(),
                        List.of(StoredRollout.attempt(first, attempt)),
                        List.of()));
    }

    private Commit.Outcome receive(long attempt, long sequence, String outcome) {
        return store.commit(
                StoredRollout.commit(
                        epoch,
                        loaded(),
                        loaded().rollout(),
                        List.of(),
                        List.of(StoredRollout.report(first, attempt, sequence, outcome))));
    }

    @Test
    void anOldRevisionIsAConflictAndWritesNothing() {
        RolloutWithHistoryHead old = loaded();
        move(new RolloutState.Running(NOW));
        int rows = store.history(id).size();

        Commit.Outcome outcome =
                store.commit(StoredRollout.move(epoch, old, new RolloutState.Cancelled(NOW)));

        assertThat(outcome).isInstanceOf(Commit.Outcome.Conflict.class);
        assertThat(store.history(id)).hasSize(rows);
        assertThat(loaded().rollout().state()).isInstanceOf(RolloutState.Running.class);
    }

    @Test
    @DisplayName("B1: an old epoch writes nothing")
    void anOldEpochWritesNothing() {
        Commit old = StoredRollout.move(epoch, loaded(), new RolloutState.Running(NOW));
        store.takeOver("second");

        assertThat(store.commit(old)).isInstanceOf(Commit.Outcome.StaleEpoch.class);

        assertThat(store.isCurrentEpoch(epoch)).isFalse();
        assertThat(loaded().rollout().revision()).isEqualTo(1);
    }

    @Test
    @DisplayName("A4, R1: one open attempt a node, and no number twice")
    void attemptsAreOpenOneAtATimeAndNumberedOnce() {
        move(new RolloutState.Running(NOW));
        assign(1);

        assertThatThrownBy(() -> assign(2)).isInstanceOf(UnwritableValue.class);
        receive(1, 1, "WITHDRAWN");
        assertThatThrownBy(() -> assign(1)).isInstanceOf(IllegalStateException.class);
        assertThat(assign(2)).isInstanceOf(Commit.Outcome.Committed.class);
    }

    @Test
    @DisplayName("A2: the chain is free after the end, and not taken from another rollout")
    void reopeningIsRefusedWhileAnotherRolloutHasTheChain() {
        move(new RolloutState.Cancelled(NOW));
        assertThat(store.findActiveOrRequested()).isEmpty();
        store.create(StoredRollout.fresh(Plan.rolling("demo", 3, 2), ""));

        assertThat(move(new RolloutState.RollingBack(NOW)))
                .isInstanceOf(Commit.Outcome.ChainBusy.class);
    }

    @Test
    void repeatedKeyReturnsItsRolloutAlthoughTheChainIsBusy() {
        Plan plan = Plan.rolling("other", 3, 2);
        RolloutCreationStore.NewRollout fresh = StoredRollout.fresh(plan, "key-1");
        store.create(fresh);

        assertThat(store.create(StoredRollout.fresh(plan, "key-1")))
                .isEqualTo(
                        new RolloutCreationStore.CreationResult.Repeated(
                                new RolloutCreationStore.ExistingRollout(
                                        fresh.rollout().id(), fresh.requestDigest())));
        assertThat(store.rollouts()).hasSize(2);
    }

    @Test
    @DisplayName("A6: a forcing is not lost by the commits after it, nor by a late status")
    void aForcingStays() {
        move(new RolloutState.Running(NOW));
        assign(1);
        forced(new RolloutState.Cancelling(NOW));
        forced(new RolloutState.Cancelled(NOW));
        assertThat(loaded().rollout().forced()).isTrue();

        late(1, 3);

        assertThat(loaded().rollout().forced()).isTrue();
    }

    private void forced(RolloutState next) {
        Rollout after = forced(loaded().rollout(), next);
        store.commit(StoredRollout.commit(epoch, loaded(), after, List.of(), List.of()));
    }

    private static Rollout forced(Rollout was, RolloutState state) {
        return new Rollout(
                was.id(),
                was.revision(),
                was.spec(),
                state,
                was.acknowledgedFailures(),
                was.acceptedOffline(),
                true,
                was.batches(),
                was.nodes());
    }

    @Test
    @DisplayName("A17: a move that is not in the table is refused by the table")
    void anIllegalMoveIsRefused() {
        assertThatThrownBy(() -> move(new RolloutState.RollingBack(NOW)))
                .isInstanceOf(StoreUnavailable.class);
    }

    @Test
    @DisplayName("C6, R1, R4: a late status is taken in once, and only after the end")
    void aLateStatusOfAnEndedRolloutIsTakenInOnce() {
        move(new RolloutState.Running(NOW));
        assign(1);
        assertThat(late(1, 3)).isEqualTo(LateStatusResult.NOT_ENDED);
        assertThat(late(9, 3)).isEqualTo(LateStatusResult.UNKNOWN);
        move(new RolloutState.Cancelling(NOW));
        move(new RolloutState.Cancelled(NOW));
        assertThat(store.findOrphanedAttempts()).hasSize(1);

        assertThat(late(1, 3)).isEqualTo(LateStatusResult.WRITTEN);
        assertThat(late(1, 3)).isEqualTo(LateStatusResult.KNOWN);

        assertThat(store.findOrphanedAttempts()).isEmpty();
    }

    @Test
    @DisplayName("A13: a late failure that was not compensated counts as installed")
    void aLateFailedCompensationCountsAsInstalled() {
        move(new RolloutState.Running(NOW));
        Rollout assigned =
                StoredRollout.changing(
                        loaded().rollout(),
                        first,
                        was -> StoredRollout.inAttempt(was, 1, true, 0, 0));
        store.commit(
                StoredRollout.commit(
                        epoch,
                        loaded(),
                        assigned,
                        List.of(StoredRollout.attempt(first, 1)),
                        List.of()));
        move(new RolloutState.Cancelling(NOW));
        move(new RolloutState.Cancelled(NOW));

        store.applyLateStatus(epoch, StoredRollout.report(first, 1, 3, "FAILED_ROLLBACK"), NOW);

        assertThat(store.load(id).orElseThrow().rollout().nodes())
                .hasEntrySatisfying(first, node -> assertThat(node.installedBy()).isEqualTo(1));
    }

    private LateStatusResult late(long attempt, long sequence) {
        return store.applyLateStatus(
                epoch, StoredRollout.report(first, attempt, sequence, "SUCCEEDED"), NOW);
    }
}
