package drover.coordinator.store.retention;

import static drover.coordinator.plan.SampleRollout.node;
import static drover.coordinator.store.rollout.StoredRollout.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.plan.RetentionRules;
import drover.coordinator.plan.RetentionRules.RetentionDecision;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.audit.HistoryChecker;
import drover.coordinator.store.audit.PostgresHistoryChecker;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.create.PostgresRolloutCreationStore;
import drover.coordinator.store.create.RolloutCreationStore;
import drover.coordinator.store.group.GroupSql;
import drover.coordinator.store.group.PostgresGroupStore;
import drover.coordinator.store.leader.LeaderStore;
import drover.coordinator.store.leader.PostgresLeaderStore;
import drover.coordinator.store.request.PostgresRolloutRequestStore;
import drover.coordinator.store.retention.RetentionStore.PruneDecision;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.rollout.PostgresRolloutViews;
import drover.coordinator.store.rollout.RolloutViews;
import drover.coordinator.store.rollout.StoredHashChain;
import drover.coordinator.store.rollout.StoredRollout;
import drover.coordinator.store.sql.TestDatabase;
import drover.model.GroupId;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * What goes and what stays in PostgreSQL, looked at a lifetime after it happened. One node, on
 * which two rollouts of one program ended one after the other.
 */
class RetentionIT {
    private static final Plan PLAN = Plan.rolling("demo", 1, 1);
    private static final NodeId NODE = node("demo", 1);
    private static final Instant LATER = Instant.parse("2100-01-01T00:00:00Z");
    private static final Duration KEEP = Duration.ofDays(400);
    private static final int ROWS = 1_000;

    @AutoClose private TestDatabase database;
    private LeaderStore leader;
    private RetentionStore retention;
    private long epoch;
    private RolloutId first;
    private RolloutId second;

    @BeforeEach
    void twoRolloutsHaveEnded() {
        database = TestDatabase.open();
        leader = new PostgresLeaderStore(database.database());
        retention = new PostgresRetentionStore(database.database());
        epoch = leader.takeOver("test");
        first = installed("web", 1, NOW);
        second = installed("web", 2, NOW.plusSeconds(60));
    }

    @Test
    void onlyWhatALaterRolloutSupersedesGoes() {
        assertThat(retention.findEndedUnpruned(LATER, null, 10))
                .extracting(RetentionRules.EndedRollout::id)
                .containsExactly(first, second);
        assertThat(judged()).containsExactly(RetentionDecision.EXPIRED, RetentionDecision.LATEST);
        assertThat(retention.findEndedUnpruned(LATER, first, 10)).hasSize(1);
        assertThat(retention.findEndedUnpruned(NOW, null, 10)).as("nothing ended before").isEmpty();
    }

    @Test
    void whatGoesLeavesItsRowAndNothingOfAnotherRollout() {
        prune(first);

        for (String table : List.of("history", "payload", "decision", "content_of_rollout")) {
            assertThat(rows(table, first)).as(table).isZero();
        }
        assertThat(rows("history", second)).isEqualTo(5);
        assertThat(rows("payload", second)).isEqualTo(1);
        assertThat(rows("rollout_node", first)).isEqualTo(1);
        assertThat(loaded(first).rollout().state()).isInstanceOf(RolloutState.Completed.class);
        assertThat(
                        new PostgresRolloutViews(database.database())
                                .list(RolloutViews.Filter.ALL, null, 10))
                .extracting(summary -> summary.facts().prunedAt())
                .containsExactlyInAnyOrder(LATER, null);
        assertThat(retention.findMarkedForPruning(10)).isEmpty();
    }

    @Test
    @DisplayName(
            "G2: after every transaction the rest of the chain fits what is said to be its base")
    void theChainStaysWholeRowByRow() {
        assertThat(retention.markForPruningIfExpired(epoch, first, LATER, KEEP))
                .isEqualTo(PruneDecision.GOES);
        long left = rows("history", first);
        assertThat(left).isEqualTo(5);
        while (left > 0) {
            assertThat(retention.deleteRolloutRows(epoch, first, 1)).contains(1);
            left--;
            assertThat(rows("history", first)).isEqualTo(left);
            assertThat(StoredHashChain.breaks(database, first)).isEmpty();
        }
        assertThat(StoredHashChain.breaks(database, second)).isEmpty();
    }

    @Test
    @DisplayName("G2: no other hand takes history away")
    void historyGoesInNoOtherWay() {
        assertThatThrownBy(() -> database.run("DELETE FROM history"))
                .hasStackTraceContaining("append-only");
        retention.markForPruningIfExpired(epoch, first, LATER, KEEP);
        assertThatThrownBy(() -> database.run("DELETE FROM history"))
                .hasStackTraceContaining("append-only");
        assertThatThrownBy(() -> database.run("UPDATE history SET sentence = ''"))
                .hasStackTraceContaining("append-only");
    }

    @Test
    @DisplayName("G4: what a receiver has not been told of stays until it was")
    void unsentStatusIsKept() {
        long received = database.count("SELECT min(seq) + 1 FROM history");
        database.run(
                "INSERT INTO event_sink (name, kind, through, epoch) VALUES ('slow', 'webhook', ?, ?)",
                received,
                epoch);

        prune(first);

        assertThat(rows("history", first)).isEqualTo(3);
        assertThat(StoredHashChain.breaks(database, first)).isEmpty();
        assertThat(retention.findMarkedForPruning(10))
                .as("a later round goes on")
                .containsExactly(first);
        database.run("UPDATE event_sink SET through = 1000000");
        prune(first);
        assertThat(rows("history", first)).isZero();
        assertThat(retention.findMarkedForPruning(10)).isEmpty();
    }

    @Test
    void aContentGoesWithTheLastThatNeedsIt() {
        database.run("INSERT INTO content (digest, data) VALUES ('own', ''), ('ours', '')");
        database.run(
                "INSERT INTO content_of_rollout SELECT ?::uuid, unnest(array['own', 'ours'])",
                first.value());
        database.run("INSERT INTO content_of_rollout VALUES (?::uuid, 'ours')", second.value());

        prune(first);

        assertThat(database.texts("SELECT digest FROM content WHERE length(digest) < 9"))
                .containsExactly("ours");
    }

    @Test
    @DisplayName(
            "R1: the newest attempt of a node stays, and so does what tells what is superseded")
    void deletesAttemptsThatAreNotNeeded() {
        installed("cache", 3, NOW.plusSeconds(120));
        assertThat(retention.deleteRowsOutsideRollouts(epoch, LATER, ROWS))
                .as("all is whole")
                .contains(0);

        prune(first);

        assertThat(retention.deleteRowsOutsideRollouts(epoch, LATER, ROWS)).contains(1);
        assertThat(database.texts("SELECT attempt::text FROM node_attempt ORDER BY attempt"))
                .containsExactly("2", "3");
        assertThat(leader.findReservations(List.of(NODE)))
                .hasEntrySatisfying(NODE, guard -> assertThat(guard.lastAttempt()).isEqualTo(3));
        assertThat(leader.findSupersededNodes(second)).isEmpty();
    }

    @Test
    @DisplayName("A13: what is kept can be rolled back, and what went cannot, not even after that")
    void aRollbackStillWorksForAllThatIsKept() {
        prune(first);
        retention.deleteRowsOutsideRollouts(epoch, LATER, ROWS);

        assertThat(leader.loadPayloads(second, List.of(NODE))).containsKey(NODE);
        move(second, new RolloutState.RollingBack(NOW));
        assign(second, 3, 2);
        receive(second, 3, "RESTORED", 0);
        move(second, new RolloutState.RolledBack(NOW));

        assertThat(StoredHashChain.breaks(database, second)).isEmpty();
        assertThat(leader.findSupersededNodes(first)).containsExactly(NODE);
        assertThat(new PostgresRolloutRequestStore(database.database()).isPruned(first)).isTrue();
        assertThat(new PostgresRolloutRequestStore(database.database()).isPruned(second)).isFalse();
        assertThat(
                        leader.commit(
                                StoredRollout.move(
                                        epoch, loaded(first), new RolloutState.RollingBack(NOW))))
                .isInstanceOf(Commit.Outcome.Conflict.class);
    }

    @Test
    @DisplayName(
            "G2: a group's history goes with the last of its components, and its rest verifies")
    void theHistoryOfAGroupGoesWithItsLastComponent() {
        UUID group = aGroupOf(first, second);
        assertThat(retention.deleteGroupsAndIncidents(epoch, LATER, ROWS)).contains(0);
        assertThatThrownBy(() -> database.run("DELETE FROM group_history"))
                .hasStackTraceContaining("append-only");
        prune(first);
        assertThat(retention.deleteGroupsAndIncidents(epoch, LATER, ROWS))
                .as("one is whole")
                .contains(0);
        assertThat(isPruned(group)).as("it can no longer go back").isTrue();

        database.run("UPDATE rollout SET pruned_at = now()");

        assertThat(retention.deleteGroupsAndIncidents(epoch, NOW, ROWS))
                .as("too young")
                .contains(0);
        assertThat(retention.deleteGroupsAndIncidents(epoch, LATER, 1)).contains(1);
        assertThat(breaksOf(group)).isEmpty();
        assertThat(retention.deleteGroupsAndIncidents(epoch, LATER, ROWS)).contains(1);
        assertThat(breaksOf(group)).isEmpty();
        assertThat(retention.deleteGroupsAndIncidents(epoch, LATER, ROWS)).contains(0);
        assertThat(database.count("SELECT count(*) FROM rollout_group")).isEqualTo(1);
        leader.takeOver("another");
        assertThat(retention.deleteGroupsAndIncidents(epoch, LATER, ROWS)).isEmpty();
    }

    private boolean isPruned(UUID group) {
        return new PostgresGroupStore(database.database())
                .hasPrunedComponent(new GroupId(group.toString()));
    }

    private List<HistoryChecker.ChainBreak> breaksOf(UUID group) {
        HistoryChecker.CheckedHistory checked =
                new PostgresHistoryChecker(database.database())
                        .checkNext(HistoryChecker.HistoryKind.GROUP, "")
                        .orElseThrow();
        assertThat(checked.id()).isEqualTo(group.toString());
        return checked.breaks();
    }

    /** An ended group with two entries of its history. */
    private UUID aGroupOf(RolloutId... components) {
        UUID group = UUID.randomUUID();
        database.run(
                "INSERT INTO rollout_group (id, chain_profile_id, failure_policy, component_order,"
                        + " desired_versions, strategy, spec, state, history_head, created_by,"
                        + " finished_at) VALUES (?, 'demo', 'manual', '[]', '{}', 'rolling', '{}',"
                        + " '{\"status\": \"completed\"}', 'genesis', 'alice', '2026-06-01')",
                group);
        for (int i = 0; i < components.length; i++) {
            database.run(
                    "UPDATE rollout SET group_id = ?, component_index = ? WHERE id = ?::uuid",
                    group,
                    i,
                    components[i].value());
        }
        List<HistoryEntry> rows = List.of(row("pending", "running"), row("running", "completed"));
        String head =
                database.database()
                        .write(
                                "writing",
                                handle ->
                                        GroupSql.appendHistory(
                                                handle, group, HistoryEntry.GENESIS, rows));
        database.run("UPDATE rollout_group SET history_head = ? WHERE id = ?", head, group);
        return group;
    }

    private static HistoryEntry row(String from, String to) {
        return new HistoryEntry(
                NOW, 1, "alice", "group", "", from, to, new Cause("MOVED", "Moved."));
    }

    @Test
    void incidentsGoOnceTheyAreResolvedAndTheirRolloutIsPast() {
        incident("of the past", first, "resolved", false);
        incident("of what can go back", second, "resolved", false);
        incident("of no rollout", null, "resolved", false);
        incident("open", null, "open", false);
        incident("resolved, and it goes on", null, "resolved", true);
        prune(first);

        assertThat(retention.deleteGroupsAndIncidents(epoch, NOW, ROWS))
                .as("too young")
                .contains(0);
        assertThat(retention.deleteGroupsAndIncidents(epoch, LATER, ROWS)).contains(2);
        assertThat(database.texts("SELECT sentence FROM incident ORDER BY sentence"))
                .containsExactly("of what can go back", "open", "resolved, and it goes on");
    }

    private void incident(
            String sentence, @Nullable RolloutId rollout, String state, boolean open) {
        database.run(
                "INSERT INTO incident (category, severity, node_id, rollout_id, code, sentence, state,"
                        + " standing, opened_at, resolved_at) VALUES ('drift', 'warning', ?,"
                        + " nullif(?, '')::uuid, 'X', ?, ?, ?, '2026-06-01', '2026-06-02')",
                sentence,
                rollout == null ? "" : rollout.value(),
                sentence,
                state,
                open);
    }

    @Test
    void requestsDuringTheOutageStay() {
        database.run(
                "INSERT INTO operator_request (id, rollout_id, actor, idempotency_key, kind, reason)"
                        + " VALUES (?, ?::uuid, 'alice', 'k', 'rollback', '')",
                UUID.randomUUID(),
                first.value());

        assertThat(retention.markForPruningIfExpired(epoch, first, LATER, KEEP))
                .isEqualTo(PruneDecision.STAYS);
        assertThat(retention.markForPruningIfExpired(epoch, second, LATER, KEEP))
                .isEqualTo(PruneDecision.STAYS);
        assertThat(judged())
                .containsExactly(RetentionDecision.REQUEST_WAITS, RetentionDecision.LATEST);
    }

    @Test
    @DisplayName("B1: a leader of the past takes nothing away")
    void aStaleLeaderRemovesNothing() {
        retention.markForPruningIfExpired(epoch, first, LATER, KEEP);
        leader.takeOver("another");

        assertThat(retention.markForPruningIfExpired(epoch, first, LATER, KEEP))
                .isEqualTo(PruneDecision.STALE_EPOCH);
        assertThat(retention.deleteRolloutRows(epoch, first, ROWS)).isEmpty();
        assertThat(retention.deleteRowsOutsideRollouts(epoch, LATER, ROWS)).isEmpty();
        assertThat(rows("history", first)).isEqualTo(5);
    }

    private List<RetentionDecision> judged() {
        return retention.findEndedUnpruned(LATER, null, 10).stream()
                .map(rollout -> RetentionRules.decide(rollout, LATER, KEEP))
                .toList();
    }

    private void prune(RolloutId id) {
        retention.markForPruningIfExpired(epoch, id, LATER, KEEP);
        while (retention.deleteRolloutRows(epoch, id, ROWS).orElseThrow() > 0) {
            assertThat(retention.findMarkedForPruning(10)).hasSizeLessThanOrEqualTo(1);
        }
    }

    private long rows(String table, RolloutId id) {
        return database.count(
                "SELECT count(*) FROM " + table + " WHERE rollout_id = ?::uuid", id.value());
    }

    private RolloutId installed(String program, long attempt, Instant end) {
        RolloutCreationStore.NewRollout fresh = StoredRollout.fresh(PLAN, new BinaryName(program));
        assertThat(new PostgresRolloutCreationStore(database.database()).create(fresh))
                .isInstanceOf(RolloutCreationStore.CreationResult.Written.class);
        RolloutId id = fresh.rollout().id();
        move(id, new RolloutState.Running(NOW));
        assign(id, attempt, 0);
        receive(id, attempt, "SUCCEEDED", attempt);
        move(id, new RolloutState.Completed(end));
        return id;
    }

    private LeaderStore.RolloutWithHistoryHead loaded(RolloutId id) {
        return leader.load(id).orElseThrow();
    }

    private void move(RolloutId id, RolloutState next) {
        written(StoredRollout.move(epoch, loaded(id), next));
    }

    private void assign(RolloutId id, long attempt, long restoreOf) {
        LeaderStore.RolloutWithHistoryHead was = loaded(id);
        Rollout after =
                StoredRollout.changing(
                        was.rollout(),
                        NODE,
                        node ->
                                StoredRollout.inAttempt(
                                        node, attempt, true, 0, node.installedBy()));
        written(
                StoredRollout.commit(
                        epoch,
                        was,
                        after,
                        List.of(StoredRollout.attempt(NODE, attempt, restoreOf)),
                        List.of()));
    }

    private void receive(RolloutId id, long attempt, String outcome, long installedBy) {
        LeaderStore.RolloutWithHistoryHead was = loaded(id);
        Rollout after =
                StoredRollout.changing(
                        was.rollout(),
                        NODE,
                        node -> StoredRollout.inAttempt(node, attempt, false, 1, installedBy));
        written(
                StoredRollout.commit(
                        epoch,
                        was,
                        after,
                        List.of(),
                        List.of(StoredRollout.report(NODE, attempt, 1, outcome))));
    }

    private void written(Commit commit) {
        assertThat(leader.commit(commit)).isInstanceOf(Commit.Outcome.Committed.class);
    }
}
