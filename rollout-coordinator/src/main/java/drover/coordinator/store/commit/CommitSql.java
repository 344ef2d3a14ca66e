package drover.coordinator.store.commit;

import static drover.coordinator.plan.request.OperatorRequestRules.APPROVED;
import static drover.coordinator.plan.request.OperatorRequestRules.FORCED;

import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeCounters;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.replay.RecordedDecisionInput;
import drover.coordinator.store.commit.Commit.Outcome;
import drover.coordinator.store.incident.IncidentChangeSql;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.rollout.HistorySql;
import drover.coordinator.store.rollout.NodeUpgradeWriteSql;
import drover.coordinator.store.sql.StateJson;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Update;
import org.jspecify.annotations.Nullable;

/** The statements of one commit, run inside a fenced transaction. */
public final class CommitSql {
    private final Handle handle;
    private final Commit commit;
    private final UUID rollout;

    public CommitSql(Handle handle, Commit commit) {
        this.handle = handle;
        this.commit = commit;
        this.rollout = UUID.fromString(commit.after().id().value());
    }

    public Outcome run() {
        if (!claimOrReleaseChain()) {
            return new Outcome.ChainBusy();
        }
        if (reopens() && !SupersededNodesSql.findSupersededNodes(handle, rollout).isEmpty()) {
            handle.rollback(); // changed since it was decided; with the claim it changes no more
            return new Outcome.Conflict();
        }
        List<HistoryEntry> history = commit.history();
        String head = HistorySql.headAfter(commit.historyHead(), history);
        if (updateRollout(head) != 1) {
            handle.rollback();
            return new Outcome.Conflict();
        }
        updateBatches();
        AttemptStatusSql.markFailedRollback(handle, commit.newlyFailedRollbackNodes());
        updateStatuses(); // closes attempts before new ones are opened: one open attempt a node
        // (A4)
        insertAttempts();
        updateNodes();
        updateRequests();
        insertDecision();
        writeIncidents();
        HistorySql.append(handle, rollout, commit.historyHead(), history);
        return new Outcome.Committed(head);
    }

    /** In the same transaction as what they tell of. */
    private void writeIncidents() {
        List<IncidentChange> changes = commit.incidentChanges();
        if (!changes.isEmpty()) {
            new IncidentChangeSql(handle, stepTime()).write(changes);
        }
    }

    /** The planner's moment: a step that moves anything tells of it in the history. */
    private Instant stepTime() {
        return commit.history().isEmpty()
                ? commit.after().state().since()
                : commit.history().getFirst().at();
    }

    private void insertDecision() {
        RecordedDecisionInput decision = commit.decision();
        if (decision != null) {
            handle.createUpdate(
                            "INSERT INTO decision (rollout_id, revision, version, inputs)"
                                    + " VALUES (:id, :revision, :version, :inputs)")
                    .bind("id", rollout)
                    .bind("revision", commit.after().revision())
                    .bind("version", decision.version())
                    .bind("inputs", StateJson.write(decision))
                    .execute();
        }
    }

    /**
     * Claims the chain again when an ended rollout is reopened; gives it back at the terminal
     * commit (A2).
     */
    private boolean claimOrReleaseChain() {
        RolloutState before = commit.before().state();
        RolloutState after = commit.after().state();
        String chain = commit.after().spec().chain().value();
        if (commit.after().spec().isInGroup()) {
            return !reopens() || isChainClaimedByOwnGroup(chain);
        }
        if (reopens()) {
            return handle.createUpdate(
                                    "INSERT INTO chain_claim (chain_profile_id, owner) VALUES (:chain, :owner)"
                                            + " ON CONFLICT DO NOTHING")
                            .bind("chain", chain)
                            .bind("owner", rollout)
                            .execute()
                    == 1;
        }
        if (!before.isFinal() && after.isFinal()) {
            handle.createUpdate(
                            "DELETE FROM chain_claim WHERE chain_profile_id = :chain AND owner = :owner")
                    .bind("chain", chain)
                    .bind("owner", rollout)
                    .execute();
        }
        return true;
    }

    /** Its group has the chain as long as it is under way; an ended one is reopened as a whole. */
    private boolean isChainClaimedByOwnGroup(String chain) {
        return handle.createQuery(
                        "SELECT 1 FROM chain_claim WHERE chain_profile_id = :chain AND owner = :owner")
                .bind("chain", chain)
                .bind("owner", UUID.fromString(commit.after().spec().membership().group()))
                .mapTo(Integer.class)
                .findOne()
                .isPresent();
    }

    private boolean reopens() {
        return commit.before().state().isFinal() && !commit.after().state().isFinal();
    }

    private int updateRollout(String head) {
        Rollout after = commit.after();
        NodeCounters counters = after.counters();
        HistoryEntry forced = findHistoryEntry(FORCED);
        HistoryEntry approved = findHistoryEntry(APPROVED);
        boolean starts = commit.before().state() instanceof RolloutState.Pending;
        return handle.createUpdate(
                        "UPDATE rollout SET state = :state::jsonb, succeeded_nodes = :succeeded,"
                                + " failed_nodes = :failed, pending_nodes = :pending,"
                                + " skipped_nodes = :skipped, rolled_back_nodes = :rolledBack,"
                                + " not_rollbackable_nodes = :noWayBack,"
                                + " acknowledged_failures = :acknowledged, accepted_offline = :offline,"
                                + " revision = :revision, epoch = :epoch, history_head = :head,"
                                + " started_at = CASE WHEN :starts THEN :since ELSE started_at END,"
                                + " finished_at = CASE WHEN :final THEN :since END,"
                                + " forced = :isForced,"
                                + " forced_by = coalesce(:forcedBy, forced_by),"
                                + " forced_at = coalesce(:forcedAt, forced_at),"
                                + " approved_by = CASE WHEN :awaits THEN ''"
                                + " ELSE coalesce(:approvedBy, approved_by) END,"
                                + " approved_at = CASE WHEN :awaits THEN NULL"
                                + " ELSE coalesce(:approvedAt, approved_at) END"
                                + " WHERE id = :id AND revision = :expected")
                .bind("state", StateJson.write(after.state()))
                .bind("succeeded", counters.succeeded())
                .bind("failed", counters.failed())
                .bind("pending", counters.pending())
                .bind("skipped", counters.skipped())
                .bind("rolledBack", counters.rolledBack())
                .bind("noWayBack", after.notRollbackableCount())
                .bind("acknowledged", after.acknowledgedFailures())
                .bind("offline", after.acceptedOffline())
                .bind("revision", after.revision())
                .bind("epoch", commit.epoch())
                .bind("head", head)
                .bind("starts", starts && after.state() instanceof RolloutState.Running)
                .bind("final", after.state().isFinal())
                .bind("since", after.state().since().atOffset(ZoneOffset.UTC))
                .bind("isForced", after.forced())
                .bind("forcedBy", forced == null ? null : forced.actor())
                .bind("forcedAt", forced == null ? null : forced.at().atOffset(ZoneOffset.UTC))
                .bind("approvedBy", approved == null ? null : approved.actor())
                .bind(
                        "approvedAt",
                        approved == null ? null : approved.at().atOffset(ZoneOffset.UTC))
                .bind("awaits", awaitsApproval(after))
                .bind("id", rollout)
                .bind("expected", commit.before().revision())
                .execute();
    }

    /** Then an earlier approval has been taken back, and nobody has approved. */
    private static boolean awaitsApproval(Rollout after) {
        return after.batches().stream()
                .anyMatch(batch -> batch.phase() == BatchPhase.AWAITING_APPROVAL);
    }

    /** What this commit tells of the rollout under a code; null when it does not. */
    private @Nullable HistoryEntry findHistoryEntry(String code) {
        return commit.history().stream()
                .filter(row -> row.subject().equals("rollout") && row.because().code().equals(code))
                .findFirst()
                .orElse(null);
    }

    private void updateBatches() {
        List<Batch> before = commit.before().batches();
        PreparedBatch sql =
                handle.prepareBatch(
                        "INSERT INTO rollout_batch (rollout_id, batch_index, canary, phase, since) VALUES"
                                + " (:id, :index, :canary, :phase, :since) ON CONFLICT (rollout_id, batch_index)"
                                + " DO UPDATE SET phase = excluded.phase, since = excluded.since"
                                + " WHERE rollout_batch.phase <> 'promoted'");
        for (Batch batch : commit.after().batches()) {
            if (batch.index() >= before.size() || !batch.equals(before.get(batch.index()))) {
                sql.bind("id", rollout)
                        .bind("index", batch.index())
                        .bind("canary", batch.canary())
                        .bind("phase", StateNameFormatter.of(batch.phase()))
                        .bind("since", batch.since().atOffset(ZoneOffset.UTC))
                        .add();
            }
        }
        if (sql.size() > 0) {
            sql.execute();
        }
    }

    private void updateNodes() {
        List<NodeUpgrade> changed = commit.changedNodes();
        if (!changed.isEmpty()) {
            NodeUpgradeWriteSql.update(handle, rollout, changed);
        }
    }

    private void updateStatuses() {
        List<Commit.ReportedAttemptStatus> reports = commit.statuses();
        if (reports.isEmpty()) {
            return;
        }
        AttemptStatusSql.updateIfNewer(handle, reports);
    }

    private void insertAttempts() {
        List<Commit.NewAttempt> attempts = commit.attempts();
        if (attempts.isEmpty()) {
            return;
        }
        Update guard =
                handle.createUpdate(
                        "INSERT INTO node_guard (node_id, last_attempt) SELECT * FROM"
                                + " unnest(:nodes::text[], :attempts::bigint[])"
                                + " ON CONFLICT (node_id) DO UPDATE SET last_attempt = excluded.last_attempt"
                                + " WHERE node_guard.last_attempt < excluded.last_attempt");
        bindAttempts(guard, attempts);
        if (guard.execute() != attempts.size()) {
            throw new IllegalStateException("An attempt number was allotted twice (rule R1)");
        }
        Update insert =
                handle.createUpdate(
                        "INSERT INTO node_attempt (node_id, attempt, rollout_id, restore_of, body,"
                                + " body_digest, open, epoch) SELECT u.node, u.attempt, :rollout, u.restore_of,"
                                + " decode(u.body, 'base64'), u.digest, true, :epoch FROM"
                                + " unnest(:nodes::text[], :attempts::bigint[], :restores::bigint[],"
                                + " :bodies::text[], :digests::text[])"
                                + " AS u(node, attempt, restore_of, body, digest)");
        bindAttempts(insert, attempts);
        insert.bindArray(
                        "restores",
                        Long.class,
                        attempts.stream().map(Commit.NewAttempt::restoreOf).toList())
                .bindArray(
                        "bodies",
                        String.class,
                        attempts.stream()
                                .map(a -> Base64.getEncoder().encodeToString(a.body()))
                                .toList())
                .bindArray(
                        "digests",
                        String.class,
                        attempts.stream().map(Commit.NewAttempt::bodyDigest).toList())
                .bind("rollout", rollout)
                .bind("epoch", commit.epoch())
                .execute();
    }

    private static void bindAttempts(Update update, List<Commit.NewAttempt> attempts) {
        update.bindArray(
                        "nodes",
                        String.class,
                        attempts.stream().map(a -> a.node().value()).toList())
                .bindArray(
                        "attempts",
                        Long.class,
                        attempts.stream().map(Commit.NewAttempt::attempt).toList());
    }

    private void updateRequests() {
        PreparedBatch sql =
                handle.prepareBatch(
                        "UPDATE operator_request SET state = :state, refusal_code = :code,"
                                + " refusal_sentence = :sentence, decided_at = now()"
                                + " WHERE id = :id AND state = 'pending'");
        for (Commit.DecidedRequest request : commit.requests()) {
            sql.bind("state", request.refusalCode().isEmpty() ? "applied" : "refused")
                    .bind("code", request.refusalCode())
                    .bind("sentence", request.refusalSentence())
                    .bind("id", request.id())
                    .add();
        }
        if (sql.size() > 0) {
            sql.execute();
        }
    }
}
