package drover.coordinator.store.retention;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/**
 * The statements that take away what was kept of groups, and incidents that nobody looks for any
 * more. Which rollouts go has been decided before; a group goes with the last of its components.
 */
final class GroupAndIncidentRetentionSql {
    /** Nothing brings such a group back: of no component is left what a rollback needs. */
    private static final String PAST =
            """
            SELECT g.id FROM rollout_group g
            WHERE g.finished_at < :before
              AND EXISTS (SELECT 1 FROM group_history h WHERE h.group_id = g.id)
              AND NOT EXISTS (SELECT 1 FROM rollout r
                WHERE r.group_id = g.id AND r.pruned_at IS NULL)
              AND NOT EXISTS (SELECT 1 FROM group_request q
                WHERE q.group_id = g.id AND q.state = 'pending')
            ORDER BY g.finished_at, g.id LIMIT 1 FOR UPDATE
            """;

    private final Handle handle;
    private final Instant before;

    GroupAndIncidentRetentionSql(Handle handle, Instant before) {
        this.handle = handle;
        this.before = before;
    }

    /** Takes away up to so many rows of one group. */
    int deleteFromNextGroup(int rows) {
        Optional<UUID> next =
                handle.createQuery(PAST)
                        .bind("before", before.atOffset(ZoneOffset.UTC))
                        .mapTo(UUID.class)
                        .findOne();
        return next.map(group -> deleteGroupRows(group, rows)).orElse(0);
    }

    private int deleteGroupRows(UUID group, int rows) {
        handle.createUpdate(
                        "UPDATE rollout_group SET pruned_at = coalesce(pruned_at, now())"
                                + " WHERE id = :id")
                .bind("id", group)
                .execute();
        int deleted = deleteRows("group_request", "id", group, rows);
        deleted += deleteRows("group_creation_key", "idempotency_key", group, rows - deleted);
        return deleted + deleteHistory(group, rows - deleted);
    }

    /**
     * @param table and the column that with the group names a row: names of ours
     */
    private int deleteRows(String table, String column, UUID group, int rows) {
        return handle.createUpdate(
                        "DELETE FROM %s WHERE group_id = :id AND %s IN (SELECT %s FROM %s WHERE group_id = :id LIMIT :rows)"
                                .formatted(table, column, column, table))
                .bind("id", group)
                .bind("rows", rows)
                .execute();
    }

    /** The oldest rows; the rest of the chain begins with the hash of the last that went. */
    private int deleteHistory(UUID group, int rows) {
        handle.execute("SELECT set_config('drover.retention', ?, true)", group.toString());
        List<Map.Entry<Long, String>> removed =
                handle
                        .createQuery(
                                "DELETE FROM group_history WHERE seq IN (SELECT seq FROM"
                                        + " group_history WHERE group_id = :id ORDER BY seq"
                                        + " LIMIT :rows) RETURNING seq, hash")
                        .bind("id", group)
                        .bind("rows", rows)
                        .map((row, context) -> Map.entry(row.getLong(1), row.getString(2)))
                        .list()
                        .stream()
                        .sorted(Map.Entry.comparingByKey())
                        .toList();
        if (!removed.isEmpty()) {
            handle.createUpdate("UPDATE rollout_group SET history_base = :hash WHERE id = :id")
                    .bind("hash", removed.getLast().getValue())
                    .bind("id", group)
                    .execute();
        }
        return removed.size();
    }

    /** Resolved, over, and not of a rollout that is whole. */
    int deleteResolvedIncidents(int rows) {
        return handle.createUpdate(
                        """
                        DELETE FROM incident WHERE id IN (SELECT i.id FROM incident i
                            LEFT JOIN rollout r ON r.id = i.rollout_id
                            WHERE i.state = 'resolved' AND NOT i.standing AND i.resolved_at < :before
                              AND (i.rollout_id IS NULL OR r.pruned_at IS NOT NULL)
                            ORDER BY i.resolved_at LIMIT :rows)
                        """)
                .bind("before", before.atOffset(ZoneOffset.UTC))
                .bind("rows", rows)
                .execute();
    }
}
