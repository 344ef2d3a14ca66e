package drover.coordinator.store.leader;

import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.commit.AttemptStatusSql;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.LateStatusResult;
import drover.coordinator.store.incident.IncidentChangeSql;
import drover.coordinator.store.node.NodeClearResultSql;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.rollout.HistorySql;
import drover.coordinator.store.rollout.RolloutReadSql;
import drover.model.AttemptOutcome;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Writes down what an agent says of an attempt after its rollout has ended: the attempt, the node's
 * own row, so that a later rollback finds what is true, and one row of history (rules R1, R4).
 */
final class EndedRolloutStatusSql {
    private final Handle handle;
    private final long epoch;
    private final Commit.ReportedAttemptStatus report;
    private final Instant at;

    EndedRolloutStatusSql(
            Handle handle, long epoch, Commit.ReportedAttemptStatus report, Instant at) {
        this.handle = handle;
        this.epoch = epoch;
        this.report = report;
        this.at = at;
    }

    private record OwningRollout(
            UUID rollout, String head, boolean ended, long sequence, long restoreOf) {}

    LateStatusResult run() {
        Optional<OwningRollout> found = lockOwningRollout();
        if (found.isEmpty()) {
            return new NodeClearResultSql(handle, report, at).run();
        }
        OwningRollout owner = found.get();
        if (owner.sequence() >= report.sequence()) {
            return LateStatusResult.KNOWN;
        }
        if (!owner.ended()) {
            return LateStatusResult.NOT_ENDED;
        }
        AttemptStatusSql.applyOutsideStep(handle, report);
        int before = countNotRollbackable(owner);
        updateNode(owner);
        String head = report.terminal() ? appendHistory(owner) : owner.head();
        updateRollout(owner, head, countNotRollbackable(owner) - before);
        new IncidentChangeSql(handle, at).write(incidentChanges(owner));
        return LateStatusResult.WRITTEN;
    }

    private List<IncidentChange> incidentChanges(OwningRollout owner) {
        RolloutId rollout = new RolloutId(owner.rollout().toString());
        List<IncidentChange> changes = new ArrayList<>();
        if (report.terminal()) {
            changes.add(IncidentRules.closeStalledHandover(report.node(), rollout));
        }
        if (report.failedRollback()) {
            changes.add(
                    IncidentRules.lateRestoreFailureIncident(
                            report.node(), rollout, owner.restoreOf()));
        }
        return changes;
    }

    /** The rollout's row is locked first, as every commit does. */
    private Optional<OwningRollout> lockOwningRollout() {
        return handle.createQuery(
                        "SELECT r.id, r.history_head, r.finished_at IS NOT NULL, a.sequence,"
                                + " a.restore_of"
                                + " FROM rollout r JOIN node_attempt a ON a.rollout_id = r.id"
                                + " WHERE a.node_id = :node AND a.attempt = :attempt FOR UPDATE OF r")
                .bind("node", report.node().value())
                .bind("attempt", report.attempt())
                .map(
                        (row, context) ->
                                new OwningRollout(
                                        UUID.fromString(row.getString(1)),
                                        row.getString(2),
                                        row.getBoolean(3),
                                        row.getLong(4),
                                        row.getLong(5)))
                .findOne();
    }

    private void updateNode(OwningRollout owner) {
        Optional<NodeUpgrade> node =
                RolloutReadSql.readNode(handle, owner.rollout(), report.node())
                        .filter(read -> read.attempt() == report.attempt())
                        .map(this::withOutcome);
        if (node.isEmpty()) {
            return; // a later attempt of the rollout has replaced it
        }
        handle.createUpdate(
                        "UPDATE rollout_node SET sequence = :sequence, attempt_open = NOT :terminal,"
                                + " installed_by = :installed, handover = CASE WHEN :terminal"
                                + " THEN NULL ELSE handover END, updated_at = now()"
                                + " WHERE rollout_id = :rollout AND node_id = :node"
                                + " AND attempt = :attempt")
                .bind("sequence", report.sequence())
                .bind("terminal", report.terminal())
                .bind("installed", node.get().installedBy())
                .bind("rollout", owner.rollout())
                .bind("node", report.node().value())
                .bind("attempt", report.attempt())
                .execute();
    }

    private NodeUpgrade withOutcome(NodeUpgrade node) {
        return node.withLateOutcome(
                AttemptOutcome.valueOf(report.outcome()),
                report.runningDigest(),
                report.configDigest());
    }

    /** 1 when nothing could bring the node back: one that was skipped may prove touched now. */
    private int countNotRollbackable(OwningRollout owner) {
        return RolloutReadSql.readNode(handle, owner.rollout(), report.node())
                .filter(NodeUpgrade::isNotRollbackable)
                .map(node -> 1)
                .orElse(0);
    }

    private String appendHistory(OwningRollout owner) {
        Cause because =
                new Cause(
                        "RETURNED_LATE",
                        "Its agent reported after the rollout had ended; the attempt is closed.");
        HistoryEntry row =
                new HistoryEntry(
                        at,
                        epoch,
                        "drover",
                        "node",
                        report.node().value(),
                        "open",
                        report.outcome(),
                        because);
        return HistorySql.append(handle, owner.rollout(), owner.head(), List.of(row));
    }

    /** The revision grows, so that whoever has the rollout in memory loads it again. */
    private void updateRollout(OwningRollout owner, String head, int moreWithoutAWayBack) {
        handle.createUpdate(
                        "UPDATE rollout SET history_head = :head, revision = revision + 1,"
                                + " not_rollbackable_nodes = not_rollbackable_nodes + :more,"
                                + " epoch = :epoch WHERE id = :id")
                .bind("head", head)
                .bind("more", moreWithoutAWayBack)
                .bind("epoch", epoch)
                .bind("id", owner.rollout())
                .execute();
    }
}
