package drover.coordinator.store.leader;

import static drover.coordinator.plan.SampleRollout.node;
import static drover.coordinator.store.rollout.StoredRollout.NOW;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.AttemptProgress;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.LateStatusResult;
import drover.coordinator.store.leader.LeaderStore.RolloutWithHistoryHead;
import drover.coordinator.store.rollout.StoredHashChain;
import drover.coordinator.store.rollout.StoredRollout;
import drover.coordinator.store.sql.TestDatabase;
import drover.coordinator.store.sql.UnwritableValue;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.UpgradePhase;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LeaderStoreIT {
    private static final NodeId FIRST = node("demo", 1);

    @AutoClose private TestDatabase database;
    private LeaderStore store;
    private RolloutId id;
    private long epoch;

    @BeforeEach
    void createARollout() {
        database = TestDatabase.open();
        store = new PostgresLeaderStore(database.database());
        id = StoredRollout.create(database, Plan.rolling("demo", 3, 2));
        epoch = store.takeOver("first");
    }

    private RolloutWithHistoryHead loaded() {
        return store.load(id).orElseThrow();
    }

    private FleetView.NodeAttemptsAndReservation guard() {
        return requireNonNull(store.findReservations(List.of(FIRST)).get(FIRST));
    }

    private Commit.Outcome move(RolloutState next) {
        return store.commit(StoredRollout.move(epoch, loaded(), next));
    }

    private Commit.Outcome assign(long attempt) {
        Rollout after =
                StoredRollout.changing(loaded().rollout(), FIRST, was -> assigned(was, attempt));
        return store.commit(
                StoredRollout.commit(
                        epoch,
                        loaded(),
                        after,
                        List.of(StoredRollout.attempt(FIRST, attempt)),
                        List.of()));
    }

    private static NodeUpgrade assigned(NodeUpgrade was, long attempt) {
        return new NodeUpgrade(
                was.target(),
                was.batch(),
                new NodeState.Assigned(attempt, false, NOW),
                1,
                attempt,
                true,
                0,
                0,
                new AttemptProgress(UpgradePhase.PREPARING, "fetch_artifact", 40),
                "sha256:running");
    }

    private Commit.Outcome receive(long attempt, long sequence, String outcome) {
        return store.commit(
                StoredRollout.commit(
                        epoch,
                        loaded(),
                        loaded().rollout(),
                        List.of(),
                        List.of(StoredRollout.report(FIRST, attempt, sequence, outcome))));
    }

    @Test
    void aCommittedStepIsReadBackAsItWas() {
        move(new RolloutState.Running(NOW));
        Commit commit =
                StoredRollout.commit(
                        epoch,
                        loaded(),
                        StoredRollout.changing(loaded().rollout(), FIRST, was -> assigned(was, 1)),
                        List.of(StoredRollout.attempt(FIRST, 1)),
                        List.of());

        assertThat(store.commit(commit)).isInstanceOf(Commit.Outcome.Committed.class);

        assertThat(loaded().rollout()).isEqualTo(commit.after());
        assertThat(guard().openFor()).isEqualTo(id);
        assertThat(requireNonNull(store.loadCommands(id, Map.of(FIRST, 1L)).get(FIRST)).body())
                .isEqualTo(StoredRollout.attempt(FIRST, 1).body());
    }

    @Test
    void anOldRevisionIsAConflictAndWritesNothing() {
        RolloutWithHistoryHead old = loaded();
        move(new RolloutState.Running(NOW));
        long rows = database.count("SELECT count(*) FROM history");

        Commit.Outcome outcome =
                store.commit(StoredRollout.move(epoch, old, new RolloutState.Cancelled(NOW)));

        assertThat(outcome).isInstanceOf(Commit.Outcome.Conflict.class);
        assertThat(database.count("SELECT count(*) FROM history")).isEqualTo(rows);
        assertThat(database.count("SELECT count(*) FROM chain_claim")).isEqualTo(1);
        assertThat(loaded().rollout().state()).isInstanceOf(RolloutState.Running.class);
    }

    @Test
    @DisplayName("B1: an old epoch writes nothing")
    void anOldEpochWritesNothing() {
        Commit old = StoredRollout.move(epoch, loaded(), new RolloutState.Running(NOW));
        long later = store.takeOver("second");

        assertThat(store.commit(old)).isInstanceOf(Commit.Outcome.StaleEpoch.class);

        assertThat(later).isEqualTo(epoch + 1);
        assertThat(store.isCurrentEpoch(epoch)).isFalse();
        assertThat(loaded().rollout().revision()).isEqualTo(1);
        assertThat(database.count("SELECT count(*) FROM history WHERE epoch = ?", epoch)).isZero();
    }

    @Test
    @DisplayName("A2: the chain is free after the terminal commit and claimed again on reopening")
    void theChainIsHeldUntilTheEndAndClaimedAgainByARollback() {
        move(new RolloutState.Cancelled(NOW));
        assertThat(database.count("SELECT count(*) FROM chain_claim")).isZero();
        assertThat(store.findActiveOrRequested()).isEmpty();

        assertThat(move(new RolloutState.RollingBack(NOW)))
                .isInstanceOf(Commit.Outcome.Committed.class);
        assertThat(database.count("SELECT count(*) FROM chain_claim")).isEqualTo(1);
    }

    @Test
    @DisplayName("A2: a rollback does not take the chain from another rollout")
    void reopeningIsRefusedWhileAnotherRolloutHasTheChain() {
        move(new RolloutState.Cancelled(NOW));
        StoredRollout.create(database, Plan.rolling("demo", 3, 2));

        assertThat(move(new RolloutState.RollingBack(NOW)))
                .isInstanceOf(Commit.Outcome.ChainBusy.class);

        assertThat(loaded().rollout().state()).isInstanceOf(RolloutState.Cancelled.class);
    }

    @Test
    @DisplayName("A4: the index refuses a second open attempt of a node")
    void aSecondOpenAttemptOfANodeIsRefused() {
        move(new RolloutState.Running(NOW));
        assign(1);
        Rollout before = loaded().rollout();

        assertThatThrownBy(() -> assign(2)).isInstanceOf(UnwritableValue.class);

        assertThat(loaded().rollout()).isEqualTo(before);
        receive(1, 1, "WITHDRAWN");
        assertThat(assign(2)).isInstanceOf(Commit.Outcome.Committed.class);
    }

    @Test
    @DisplayName("R1: an attempt number is never given twice")
    void anAttemptNumberIsNeverGivenTwice() {
        move(new RolloutState.Running(NOW));
        assign(1);
        receive(1, 1, "FAILED");

        assertThatThrownBy(() -> assign(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName("C9: a report never goes back, and a closed attempt stays closed")
    void reportsNeverGoBack() {
        move(new RolloutState.Running(NOW));
        assign(1);
        receive(1, 5, "SUCCEEDED");
        receive(1, 4, "IN_PROGRESS");

        assertThat(database.row("SELECT sequence, outcome, open FROM node_attempt"))
                .containsEntry("sequence", 5L)
                .containsEntry("outcome", "SUCCEEDED")
                .containsEntry("open", false);
    }

    @Test
    @DisplayName("D14: a node that could not be brought back is flagged over all rollouts")
    void aFailedRollbackIsRemembered() {
        move(new RolloutState.Running(NOW));
        assign(1);
        receive(1, 1, "FAILED_ROLLBACK");

        assertThat(guard().failedRollback()).isTrue();
    }

    @Test
    @DisplayName("C6, R1: a late status closes the attempt of an ended rollout, once")
    void aLateStatusOfAnEndedRolloutIsTakenInOnce() {
        move(new RolloutState.Running(NOW));
        assign(1);
        move(new RolloutState.Cancelling(NOW));
        move(new RolloutState.Cancelled(NOW));
        assertThat(store.findOrphanedAttempts())
                .containsExactly(new LeaderStore.OpenAttempt(FIRST, 1));

        assertThat(store.findNodesWithStoredStatus(List.of(lateReport(1, 3, "SUCCEEDED"))))
                .isEmpty();
        assertThat(late(1, 3, "SUCCEEDED")).isEqualTo(LateStatusResult.WRITTEN);
        assertThat(late(1, 3, "SUCCEEDED")).isEqualTo(LateStatusResult.KNOWN);
        assertThat(store.findNodesWithStoredStatus(List.of(lateReport(1, 3, "SUCCEEDED"))))
                .containsExactly(FIRST);
        assertThat(store.findNodesWithStoredStatus(List.of(lateReport(1, 4, "SUCCEEDED"))))
                .isEmpty();
        assertThat(store.findNodesWithStoredStatus(List.of(lateReport(2, 1, "SUCCEEDED"))))
                .isEmpty();

        assertThat(store.findOrphanedAttempts()).isEmpty();
        NodeUpgrade node = requireNonNull(loaded().rollout().nodes().get(FIRST));
        assertThat(node.open()).isFalse();
        assertThat(node.installedBy()).as("a rollback must know that it is touched").isEqualTo(1);
        assertThat(StoredHashChain.breaks(database, id)).isEmpty();
    }

    @Test
    @DisplayName("A13: a late failure that was not compensated counts as installed")
    void aLateFailedCompensationCountsAsInstalled() {
        move(new RolloutState.Running(NOW));
        assign(1);
        move(new RolloutState.Cancelling(NOW));
        move(new RolloutState.Cancelled(NOW));

        late(1, 3, "FAILED_ROLLBACK");

        NodeUpgrade node = requireNonNull(loaded().rollout().nodes().get(FIRST));
        assertThat(node.installedBy()).isEqualTo(1);
    }

    @Test
    @DisplayName("R4: a late status of a rollout under way is left to its loop")
    void aStatusOfARolloutUnderWayIsLeftToItsLoop() {
        move(new RolloutState.Running(NOW));
        assign(1);

        assertThat(late(1, 3, "SUCCEEDED")).isEqualTo(LateStatusResult.NOT_ENDED);
        assertThat(late(9, 3, "SUCCEEDED")).isEqualTo(LateStatusResult.UNKNOWN);
        assertThat(store.applyLateStatus(epoch - 1, lateReport(1, 3, "SUCCEEDED"), NOW))
                .isEqualTo(LateStatusResult.STALE_EPOCH);
    }

    private LateStatusResult late(long attempt, long sequence, String outcome) {
        return store.applyLateStatus(epoch, lateReport(attempt, sequence, outcome), NOW);
    }

    private static Commit.ReportedAttemptStatus lateReport(
            long attempt, long sequence, String outcome) {
        return StoredRollout.report(FIRST, attempt, sequence, outcome);
    }

    @Test
    void aRolloutOfAnEarlierVersionIsReadAfterItsMigration() throws java.io.IOException {
        LeaderStore.RolloutWithHistoryHead before = store.load(id).orElseThrow();
        database.run("UPDATE rollout SET spec = spec - 'artifacts'");
        database.run("UPDATE rollout_node SET target = target - 'platform' - 'wayBack'");

        try (var migration =
                getClass().getResourceAsStream("/db/coordinator/V5__platforms_and_ways_back.sql")) {
            database.run(new String(migration.readAllBytes(), StandardCharsets.UTF_8));
        }

        assertThat(store.load(id).orElseThrow().rollout()).isEqualTo(before.rollout());
    }
}
