package drover.coordinator.store.retention;

import drover.coordinator.store.sql.ContentTableLock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * The statements that take rows away. A rollout's own row, its batches and its nodes stay: they are
 * few, and what lists, inventories and later rollouts look at.
 */
final class RetentionSql {
    private final Handle handle;
    private final long epoch;

    RetentionSql(Handle handle, long epoch) {
        this.handle = handle;
        this.epoch = epoch;
    }

    /** History first: it is what people still find when it was half done. */
    int deleteRolloutRows(UUID rollout, int rows) {
        int deleted = deleteHistory(rollout, rows);
        deleted += deleteRows("decision", "revision", "", rollout, rows - deleted);
        deleted += deleteRows("payload", "node_id", "", rollout, rows - deleted);
        deleted +=
                deleteRows(
                        "operator_request",
                        "id",
                        " AND state <> 'pending'",
                        rollout,
                        rows - deleted);
        deleted += deleteRows("rollout_preflight", "id", "", rollout, rows - deleted);
        deleted += deleteRows("creation_key", "idempotency_key", "", rollout, rows - deleted);
        deleted += deleteContents(rollout, rows - deleted);
        if (deleted < rows) {
            handle.createUpdate(
                            "UPDATE rollout SET pruning = EXISTS"
                                    + " (SELECT 1 FROM history WHERE rollout_id = :id) WHERE id = :id")
                    .bind("id", rollout)
                    .execute();
        }
        return deleted;
    }

    /**
     * The oldest rows, but none that a receiver of events has still to be told of (invariant G4).
     */
    private int deleteHistory(UUID rollout, int rows) {
        handle.execute("SELECT set_config('drover.retention', ?, true)", rollout.toString());
        List<Map.Entry<Long, String>> removed =
                handle
                        .createQuery(
                                "DELETE FROM history WHERE seq IN (SELECT seq FROM history"
                                        + " WHERE rollout_id = :id AND seq <= coalesce((SELECT min(through)"
                                        + " FROM event_sink WHERE epoch = :epoch), seq)"
                                        + " ORDER BY seq LIMIT :rows) RETURNING seq, hash")
                        .bind("id", rollout)
                        .bind("epoch", epoch)
                        .bind("rows", rows)
                        .map((row, context) -> Map.entry(row.getLong(1), row.getString(2)))
                        .list()
                        .stream()
                        .sorted(Map.Entry.comparingByKey())
                        .toList();
        if (!removed.isEmpty()) {
            handle.createUpdate("UPDATE rollout SET history_base = :hash WHERE id = :id")
                    .bind("hash", removed.getLast().getValue())
                    .bind("id", rollout)
                    .execute();
        }
        return removed.size();
    }

    /**
     * @param table and the column that with the rollout names a row: names of ours
     */
    private int deleteRows(String table, String column, String only, UUID rollout, int rows) {
        return handle.createUpdate(
                        "DELETE FROM %s WHERE rollout_id = :id AND %s IN (SELECT %s FROM %s WHERE rollout_id = :id%s LIMIT :rows)"
                                .formatted(table, column, column, table, only))
                .bind("id", rollout)
                .bind("rows", rows)
                .execute();
    }

    /** A content goes with the last rollout that needs it. */
    private int deleteContents(UUID rollout, int rows) {
        ContentTableLock.lockExclusive(handle);
        List<String> digests =
                handle.createQuery(
                                "DELETE FROM content_of_rollout WHERE rollout_id = :id AND digest IN"
                                        + " (SELECT digest FROM content_of_rollout"
                                        + " WHERE rollout_id = :id LIMIT :rows) RETURNING digest")
                        .bind("id", rollout)
                        .bind("rows", rows / 2) // each may take its content along
                        .mapTo(String.class)
                        .list();
        int freed =
                handle.createUpdate(
                                "DELETE FROM content c WHERE c.digest = ANY(:digests::text[])"
                                        + " AND NOT c.stays AND NOT EXISTS (SELECT 1 FROM"
                                        + " content_of_rollout o WHERE o.digest = c.digest)")
                        .bindArray("digests", String.class, digests)
                        .execute();
        return digests.size() + freed;
    }

    /**
     * An attempt is needed by its own rollout, and by every rollout that installed something on its
     * node before: whether that one is superseded is read from the attempts after it. So it goes
     * when neither can be rolled back any more, unless it is the node's newest (rule R1).
     */
    int deleteRowsOutsideRollouts(Instant before, int rows) {
        int deleted =
                handle.createUpdate(
                                """
                                DELETE FROM node_attempt d USING (
                                    SELECT a.node_id, a.attempt FROM node_attempt a
                                    LEFT JOIN rollout o ON o.id = a.rollout_id
                                    WHERE NOT a.open AND a.closed_at < :before
                                      AND (a.rollout_id IS NULL OR o.pruned_at IS NOT NULL)
                                      AND EXISTS (SELECT 1 FROM node_attempt newer
                                          WHERE newer.node_id = a.node_id AND newer.attempt > a.attempt)
                                      AND NOT EXISTS (SELECT 1 FROM rollout_node n
                                          JOIN rollout r ON r.id = n.rollout_id
                                          WHERE n.node_id = a.node_id AND r.pruned_at IS NULL
                                            AND n.installed_by <> 0 AND n.installed_by < a.attempt)
                                    ORDER BY a.node_id, a.attempt LIMIT :rows) past
                                WHERE d.node_id = past.node_id AND d.attempt = past.attempt
                                """)
                        .bind("before", before.atOffset(ZoneOffset.UTC))
                        .bind("rows", rows)
                        .execute();
        deleted +=
                handle.createUpdate(
                                "DELETE FROM dead_letter WHERE (seq, sink) IN (SELECT seq, sink"
                                        + " FROM dead_letter WHERE rejected_at < :before"
                                        + " LIMIT :rows)")
                        .bind("before", before.atOffset(ZoneOffset.UTC))
                        .bind("rows", rows - deleted)
                        .execute();
        deleted +=
                handle.createUpdate(
                                "DELETE FROM incident_event WHERE seq IN (SELECT seq"
                                        + " FROM incident_event WHERE at < :before AND seq <= coalesce("
                                        + "(SELECT min(through) FROM event_sink WHERE epoch = :epoch),"
                                        + " seq) ORDER BY at LIMIT :rows)")
                        .bind("before", before.atOffset(ZoneOffset.UTC))
                        .bind("epoch", epoch)
                        .bind("rows", rows - deleted)
                        .execute();
        return deleted
                + handle.createUpdate(
                                "DELETE FROM node_request WHERE id IN (SELECT id FROM node_request"
                                        + " WHERE state <> 'pending' AND decided_at < :before"
                                        + " LIMIT :rows)")
                        .bind("before", before.atOffset(ZoneOffset.UTC))
                        .bind("rows", rows - deleted)
                        .execute();
    }
}
