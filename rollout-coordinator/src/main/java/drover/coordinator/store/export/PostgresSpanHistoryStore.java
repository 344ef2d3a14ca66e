package drover.coordinator.store.export;

import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.Fence;
import drover.coordinator.store.sql.StateJson;
import drover.coordinator.store.sql.UnreadableRow;
import drover.coordinator.trace.HistoryEntryForSpans;
import drover.model.RolloutId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** What spans are made of, from PostgreSQL. */
public final class PostgresSpanHistoryStore implements SpanHistoryStore {
    /**
     * Rows of history in a page: at most as many spans of nodes, and some ten times as many of
     * their actions, which is a few megabytes.
     */
    private static final int PAGE = 1_000;

    private static final int MOST_DUE = 100; // in a round; the next one has the others

    private final Database database;
    private final Fence fence;

    /** Over the coordinator's schema. */
    public PostgresSpanHistoryStore(Database database) {
        this.database = database;
        this.fence = new Fence(database);
    }

    @Override
    public List<RolloutWithUnsentSpans> findDue(Set<RolloutId> aside) {
        return database.read(
                "looking for spans to send",
                handle ->
                        handle.createQuery(
                                        "SELECT r.id, coalesce(m.through, 0) FROM rollout r"
                                                + " LEFT JOIN span_mark m ON m.rollout_id = r.id"
                                                + " WHERE (r.finished_at IS NULL"
                                                + " OR r.finished_at > now() - interval '1 day')"
                                                + " AND r.id <> ALL(:aside::uuid[])"
                                                + " AND EXISTS (SELECT 1 FROM history h"
                                                + " WHERE h.rollout_id = r.id"
                                                + " AND h.seq > coalesce(m.through, 0))"
                                                + " ORDER BY r.created_at, r.id LIMIT :most")
                                .bindArray(
                                        "aside",
                                        UUID.class,
                                        aside.stream()
                                                .map(id -> UUID.fromString(id.value()))
                                                .toList())
                                .bind("most", MOST_DUE)
                                .map(
                                        (row, context) ->
                                                new RolloutWithUnsentSpans(
                                                        new RolloutId(row.getString(1)),
                                                        row.getLong(2)))
                                .list());
    }

    @Override
    public Optional<HistoryPage> readPage(RolloutWithUnsentSpans due) {
        UUID id = UUID.fromString(due.id().value());
        return database.read(
                "reading what spans are made of",
                handle -> {
                    long through = findPageEnd(handle, id, due.through());
                    return through == due.through()
                            ? Optional.empty()
                            : Optional.of(readPage(handle, id, due.through(), through));
                });
    }

    /** History first: an attempt that is read later knows at least as much. */
    private static HistoryPage readPage(Handle handle, UUID id, long mark, long through) {
        List<HistoryEntryForSpans> history = readHistory(handle, id, mark, through);
        List<String> nodes =
                history.stream()
                        .map(HistoryEntryForSpans::node)
                        .filter(node -> !node.isEmpty())
                        .distinct()
                        .toList();
        TraceColumns own = readRolloutTrace(handle, id);
        return new HistoryPage(
                own.traceId(),
                own.attributes(),
                findCanaryIndex(handle, id),
                history,
                readAttempts(handle, id, nodes),
                through);
    }

    private static long findPageEnd(Handle handle, UUID id, long mark) {
        return handle.createQuery(
                        "SELECT coalesce(max(seq), :mark) FROM (SELECT seq FROM history"
                                + " WHERE rollout_id = :id AND seq > :mark ORDER BY seq LIMIT :page) p")
                .bind("id", id)
                .bind("mark", mark)
                .bind("page", PAGE)
                .mapTo(Long.class)
                .one();
    }

    /**
     * Every row of the rollout and its batches, and of the nodes that moved since the mark; when
     * the rollout ended, of those too that were not decided by then and end with it.
     */
    private static List<HistoryEntryForSpans> readHistory(
            Handle handle, UUID id, long mark, long through) {
        return handle.createQuery(
                        "WITH fresh AS (SELECT * FROM history WHERE rollout_id = :id"
                                + " AND seq > :mark AND seq <= :through),"
                                + " undecided AS (SELECT node_id FROM (SELECT DISTINCT ON (node_id)"
                                + " node_id, to_status FROM history WHERE rollout_id = :id"
                                + " AND node_id <> '' AND subject <> 'phase' AND seq <= :through"
                                + " ORDER BY node_id, seq DESC) latest"
                                + " WHERE to_status NOT IN ('succeeded', 'failed', 'failed_rollback',"
                                + " 'skipped', 'pending', 'rolled_back')"
                                + " AND EXISTS (SELECT 1 FROM fresh WHERE subject = 'rollout'))"
                                + " SELECT * FROM history WHERE rollout_id = :id AND seq <= :through"
                                + " AND subject <> 'phase'"
                                + " AND (node_id = '' OR node_id IN (SELECT node_id FROM fresh)"
                                + " OR node_id IN (SELECT node_id FROM undecided)) ORDER BY seq")
                .bind("id", id)
                .bind("mark", mark)
                .bind("through", through)
                .map((row, context) -> readHistoryEntry(row))
                .list();
    }

    private static HistoryEntryForSpans readHistoryEntry(ResultSet row) throws SQLException {
        return new HistoryEntryForSpans(
                row.getLong("seq"),
                row.getObject("at", OffsetDateTime.class).toInstant(),
                row.getString("actor"),
                row.getString("subject"),
                row.getString("node_id"),
                row.getString("from_status"),
                row.getString("to_status"),
                row.getString("code"),
                row.getString("sentence"));
    }

    /** What stands in the rollout's own row. */
    private record TraceColumns(String traceId, Map<String, Object> attributes) {}

    private static TraceColumns readRolloutTrace(Handle handle, UUID id) {
        return handle.createQuery("SELECT * FROM rollout WHERE id = :id")
                .bind("id", id)
                .map(
                        (row, context) ->
                                new TraceColumns(row.getString("trace_id"), readAttributes(row)))
                .one();
    }

    private static Map<String, Object> readAttributes(ResultSet row) throws SQLException {
        RolloutSpec spec =
                UnreadableRow.readRow(
                        "rollout " + row.getString("id"),
                        () -> StateJson.readRolloutSpec(row.getString("spec")));
        Map<String, Object> attributes = new TreeMap<>();
        attributes.put("drover.chain", row.getString("chain_profile_id"));
        attributes.put("drover.node_type", row.getString("node_type"));
        attributes.put("drover.program", row.getString("binary_name"));
        attributes.put("drover.source_version", row.getString("source_version"));
        attributes.put("drover.target_version", row.getString("target_version"));
        attributes.put("drover.strategy", row.getString("strategy"));
        attributes.put("drover.nodes", row.getLong("total_nodes"));
        attributes.put("drover.created_by", row.getString("created_by"));
        if (!spec.upgradeId().isEmpty()) {
            attributes.put("drover.upgrade_id", spec.upgradeId());
        }
        return attributes;
    }

    private static int findCanaryIndex(Handle handle, UUID id) {
        return handle.createQuery(
                        "SELECT coalesce(min(batch_index), -1) FROM rollout_batch"
                                + " WHERE rollout_id = :id AND canary")
                .bind("id", id)
                .mapTo(Integer.class)
                .one();
    }

    private static List<StoredAttempt> readAttempts(
            Handle handle, UUID id, Collection<String> nodes) {
        return handle.createQuery(
                        "SELECT node_id, attempt, restore_of, open, report FROM node_attempt"
                                + " WHERE rollout_id = :id AND node_id = ANY(:nodes::text[])"
                                + " ORDER BY node_id, attempt")
                .bind("id", id)
                .bindArray("nodes", String.class, List.copyOf(nodes))
                .map(
                        (row, context) -> {
                            byte[] report = row.getBytes("report");
                            return new StoredAttempt(
                                    row.getString("node_id"),
                                    row.getLong("attempt"),
                                    row.getLong("restore_of"),
                                    !row.getBoolean("open"),
                                    report == null ? new byte[0] : report);
                        })
                .list();
    }

    @Override
    public boolean advanceMark(long epoch, RolloutId id, long through) {
        return fence.write(
                "marking spans as sent",
                epoch,
                false,
                handle -> {
                    handle.createUpdate(
                                    "INSERT INTO span_mark (rollout_id, through) VALUES (:id, :through)"
                                            + " ON CONFLICT (rollout_id) DO UPDATE"
                                            + " SET through = excluded.through"
                                            + " WHERE span_mark.through < excluded.through")
                            .bind("id", UUID.fromString(id.value()))
                            .bind("through", through)
                            .execute();
                    return true;
                });
    }
}
