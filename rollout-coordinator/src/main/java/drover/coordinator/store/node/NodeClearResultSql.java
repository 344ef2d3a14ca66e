package drover.coordinator.store.node;

import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.request.NodeClearingRules;
import drover.coordinator.store.commit.AttemptStatusSql;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.LateStatusResult;
import drover.coordinator.store.incident.IncidentChangeSql;
import drover.model.AttemptOutcome;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * Writes the result of a clear: the mark is taken off only if the agent reports success (invariant
 * D14).
 */
public final class NodeClearResultSql {
    private final Handle handle;
    private final Commit.ReportedAttemptStatus report;
    private final Instant at;

    public NodeClearResultSql(Handle handle, Commit.ReportedAttemptStatus report, Instant at) {
        this.handle = handle;
        this.report = report;
        this.at = at;
    }

    /** {@link LateStatusResult#UNKNOWN} when the attempt is no clear. */
    public LateStatusResult run() {
        Optional<Long> known = findSequence();
        if (known.isEmpty()) {
            return LateStatusResult.UNKNOWN;
        }
        if (known.get() >= report.sequence()) {
            return LateStatusResult.KNOWN;
        }
        AttemptStatusSql.applyOutsideStep(handle, report);
        if (!report.terminal()) {
            return LateStatusResult.WRITTEN;
        }
        boolean cleared = report.outcome().equals(AttemptOutcome.SUCCEEDED.name());
        if (cleared) {
            clearFailedRollback();
        }
        findRequest().ifPresent(request -> decideRequest(request, cleared));
        return cleared ? LateStatusResult.CLEARED : LateStatusResult.WRITTEN;
    }

    private Optional<Long> findSequence() {
        return handle.createQuery(
                        "SELECT sequence FROM node_attempt WHERE node_id = :node"
                                + " AND attempt = :attempt AND rollout_id IS NULL")
                .bind("node", report.node().value())
                .bind("attempt", report.attempt())
                .mapTo(Long.class)
                .findOne();
    }

    private void clearFailedRollback() {
        handle.createUpdate("UPDATE node_guard SET failed_rollback = false WHERE node_id = :node")
                .bind("node", report.node().value())
                .execute();
        new IncidentChangeSql(handle, at)
                .write(
                        List.of(
                                new IncidentChange.CloseMatching(
                                        IncidentRules.CLEARED,
                                        report.node(),
                                        null,
                                        new Cause("CLEARED", "The node is cleared."))));
    }

    private Optional<UUID> findRequest() {
        return handle.createQuery(
                        "SELECT id FROM node_request WHERE node_id = :node AND attempt = :attempt")
                .bind("node", report.node().value())
                .bind("attempt", report.attempt())
                .mapTo(UUID.class)
                .findOne();
    }

    private void decideRequest(UUID request, boolean cleared) {
        PostgresLeaderOperatorNodeRequestStore.writeDecision(
                handle,
                request,
                cleared ? "" : RefusalCode.CLEAR_REFUSED.name(),
                cleared
                        ? ""
                        : NodeClearingRules.refusalSentence(
                                report.node(), report.outcome(), report.detail()));
    }
}
