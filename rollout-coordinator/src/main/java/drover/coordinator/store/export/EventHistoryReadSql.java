package drover.coordinator.store.export;

import drover.coordinator.event.EventHistoryEntry;
import drover.coordinator.event.EventHistoryEntry.IncidentDescription;
import drover.coordinator.event.EventHistoryEntry.RolloutDescription;
import drover.coordinator.store.export.EventViews.RolloutAndNodeFilter;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Reads what events are made of: the history and the events of incidents, in one order. */
final class EventHistoryReadSql {
    private static final String OF_HISTORY =
            "SELECT x.seq, x.hash, x.at, x.rollout_id, x.actor, x.subject, x.node_id,"
                    + " x.from_status, x.to_status, x.code, x.sentence, '' AS incident_id,"
                    + " '' AS category, '' AS severity FROM history x";
    private static final String OF_INCIDENTS =
            "SELECT x.seq, x.hash, x.at, x.rollout_id, x.actor, 'incident', x.node_id,"
                    + " x.from_state, x.to_state, x.code, x.sentence, x.incident_id::text,"
                    + " x.category, x.severity FROM incident_event x";

    private EventHistoryReadSql() {}

    static List<EventHistoryEntry> findAfter(
            Handle handle, long seq, RolloutAndNodeFilter only, int limit) {
        String which =
                " WHERE x.seq > :seq"
                        + (only.rollout().isEmpty() ? "" : " AND x.rollout_id = :rollout::uuid")
                        + (only.node().isEmpty() ? "" : " AND x.node_id = :node")
                        + " ORDER BY x.seq LIMIT :limit";
        return handle.createQuery(unionQuery(which))
                .bind("seq", seq)
                .bind("limit", limit)
                .bind("rollout", only.rollout())
                .bind("node", only.node())
                .map((row, context) -> readEntry(row))
                .list();
    }

    /** Dead letters of a receiver that an operator wants to be sent again, oldest first. */
    static List<EventHistoryEntry> findRequestedRetries(Handle handle, String sink, int limit) {
        String which = " JOIN dead_letter d ON d.seq = x.seq AND d.sink = :sink AND d.retry";
        return handle.createQuery(unionQuery(which))
                .bind("sink", sink)
                .bind("limit", limit)
                .map((row, context) -> readEntry(row))
                .list();
    }

    private static String unionQuery(String which) {
        return "SELECT e.*, r.chain_profile_id, r.binary_name, r.source_version, r.target_version,"
                + " r.strategy FROM (("
                + (OF_HISTORY + which)
                + ") UNION ALL ("
                + (OF_INCIDENTS + which)
                + ")) e LEFT JOIN rollout r ON r.id = e.rollout_id ORDER BY e.seq LIMIT :limit";
    }

    private static EventHistoryEntry readEntry(ResultSet row) throws SQLException {
        String rollout = row.getString("rollout_id");
        return new EventHistoryEntry(
                row.getLong("seq"),
                row.getString("hash"),
                row.getObject("at", OffsetDateTime.class).toInstant(),
                rollout == null ? RolloutDescription.NOTHING : readRolloutDescription(rollout, row),
                row.getString("actor"),
                row.getString("subject"),
                row.getString("node_id"),
                row.getString("from_status"),
                row.getString("to_status"),
                row.getString("code"),
                row.getString("sentence"),
                new IncidentDescription(
                        row.getString("incident_id"),
                        row.getString("category"),
                        row.getString("severity")));
    }

    private static RolloutDescription readRolloutDescription(String rollout, ResultSet row)
            throws SQLException {
        return new RolloutDescription(
                rollout,
                row.getString("chain_profile_id"),
                row.getString("binary_name"),
                row.getString("source_version"),
                row.getString("target_version"),
                row.getString("strategy"));
    }

    static long newestSequence(Handle handle) {
        return handle.createQuery(
                        "SELECT greatest((SELECT coalesce(max(seq), 0) FROM history),"
                                + " (SELECT coalesce(max(seq), 0) FROM incident_event))")
                .mapTo(Long.class)
                .one();
    }

    static Optional<String> findHash(Handle handle, long seq) {
        return handle.createQuery(
                        "SELECT hash FROM history WHERE seq = :seq"
                                + " UNION ALL SELECT hash FROM incident_event WHERE seq = :seq")
                .bind("seq", seq)
                .mapTo(String.class)
                .findOne();
    }
}
