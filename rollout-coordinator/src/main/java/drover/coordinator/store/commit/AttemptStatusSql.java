package drover.coordinator.store.commit;

import drover.model.NodeId;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * Writes the statuses of many attempts in one statement; an older status never replaces a later one
 * (C9).
 */
public final class AttemptStatusSql {
    private AttemptStatusSql() {}

    /** Only a clear takes the mark off again (invariant D14). */
    static void markFailedRollback(Handle handle, Collection<NodeId> nodes) {
        if (!nodes.isEmpty()) {
            handle.createUpdate(
                            "UPDATE node_guard SET failed_rollback = true WHERE node_id = ANY(:nodes::text[])")
                    .bindArray("nodes", String.class, nodes.stream().map(NodeId::value).toList())
                    .execute();
        }
    }

    /** A status that belongs to no step of a rollout. */
    public static void applyOutsideStep(Handle handle, Commit.ReportedAttemptStatus report) {
        if (report.failedRollback()) {
            markFailedRollback(handle, List.of(report.node()));
        }
        updateIfNewer(handle, List.of(report));
    }

    /**
     * Writes statuses that are later than the stored ones. Gateway and leader drop repeated
     * statuses before; the comparison protects the stored one from a status with the same number
     * and other content.
     */
    static int updateIfNewer(Handle handle, List<Commit.ReportedAttemptStatus> reports) {
        return handle.createUpdate(
                        "UPDATE node_attempt a SET sequence = u.sequence,"
                                + " report = decode(u.report, 'base64'), outcome = u.outcome,"
                                + " open = a.open AND NOT u.terminal,"
                                + " closed_at = CASE WHEN u.terminal THEN coalesce(a.closed_at, now()) END,"
                                + " last_ended_at = CASE WHEN u.terminal THEN now()"
                                + " ELSE a.last_ended_at END"
                                + " FROM unnest(:nodes::text[], :attempts::bigint[], :sequences::bigint[],"
                                + " :reports::text[], :outcomes::text[], :terminal::boolean[])"
                                + " AS u(node, attempt, sequence, report, outcome, terminal)"
                                + " WHERE a.node_id = u.node AND a.attempt = u.attempt"
                                + " AND a.sequence < u.sequence")
                .bindArray(
                        "nodes", String.class, reports.stream().map(r -> r.node().value()).toList())
                .bindArray(
                        "attempts",
                        Long.class,
                        reports.stream().map(Commit.ReportedAttemptStatus::attempt).toList())
                .bindArray(
                        "sequences",
                        Long.class,
                        reports.stream().map(Commit.ReportedAttemptStatus::sequence).toList())
                .bindArray(
                        "reports",
                        String.class,
                        reports.stream()
                                .map(r -> Base64.getEncoder().encodeToString(r.bytes()))
                                .toList())
                .bindArray(
                        "outcomes",
                        String.class,
                        reports.stream().map(Commit.ReportedAttemptStatus::outcome).toList())
                .bindArray(
                        "terminal",
                        Boolean.class,
                        reports.stream().map(Commit.ReportedAttemptStatus::terminal).toList())
                .execute();
    }

    /** Nodes of those statuses that are in the table, or that later ones have replaced there. */
    public static Set<NodeId> findNodesWithStoredStatus(
            Handle handle, Collection<Commit.ReportedAttemptStatus> reports) {
        return handle.createQuery(
                        "SELECT a.node_id FROM node_attempt a JOIN unnest(:nodes::text[],"
                                + " :attempts::bigint[], :sequences::bigint[])"
                                + " AS u(node, attempt, sequence)"
                                + " ON a.node_id = u.node AND a.attempt = u.attempt"
                                + " WHERE a.sequence >= u.sequence")
                .bindArray(
                        "nodes", String.class, reports.stream().map(r -> r.node().value()).toList())
                .bindArray(
                        "attempts",
                        Long.class,
                        reports.stream().map(Commit.ReportedAttemptStatus::attempt).toList())
                .bindArray(
                        "sequences",
                        Long.class,
                        reports.stream().map(Commit.ReportedAttemptStatus::sequence).toList())
                .mapTo(String.class)
                .map(NodeId::new)
                .collect(Collectors.toSet());
    }
}
