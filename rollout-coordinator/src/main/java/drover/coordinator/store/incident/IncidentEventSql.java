package drover.coordinator.store.incident;

import drover.coordinator.store.rollout.HistorySql;
import drover.model.Digest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/**
 * Appends the events of incidents, in the transaction that changes the incident. Every writer takes
 * the lock of the order first ({@link HistorySql#lockAppends}) and changes incidents after it, so
 * that two writers never wait for each other.
 */
final class IncidentEventSql {
    /** Columns that {@link #readChanged} reads. */
    static final String COLUMNS =
            "i.id, i.category, i.severity, i.node_id, i.rollout_id, i.code, i.sentence,"
                    + " i.resolution, i.resolved_by";

    private IncidentEventSql() {}

    /**
     * An incident that was opened or resolved.
     *
     * @param from empty when it was opened
     */
    record ChangedIncident(
            String id,
            String category,
            String severity,
            String node,
            @Nullable String rollout,
            String actor,
            String from,
            String code,
            String sentence) {
        boolean isOpened() {
            return from.isEmpty();
        }
    }

    static ChangedIncident readOpened(ResultSet row) throws SQLException {
        return readChanged(row, "drover", "", row.getString("sentence"));
    }

    /** The row has the former state as {@code was}. */
    static ChangedIncident readResolved(ResultSet row) throws SQLException {
        return readChanged(
                row,
                row.getString("resolved_by"),
                row.getString("was"),
                row.getString("resolution"));
    }

    private static ChangedIncident readChanged(
            ResultSet row, String actor, String from, String sentence) throws SQLException {
        return new ChangedIncident(
                row.getString("id"),
                row.getString("category"),
                row.getString("severity"),
                row.getString("node_id"),
                row.getString("rollout_id"),
                actor,
                from,
                row.getString("code"),
                sentence);
    }

    static void insertEvents(Handle handle, List<ChangedIncident> changes, Instant at) {
        if (changes.isEmpty()) {
            return;
        }
        PreparedBatch batch =
                handle.prepareBatch(
                        "INSERT INTO incident_event (seq, hash, at, incident_id, category, severity,"
                                + " node_id, rollout_id, actor, from_state, to_state, code, sentence)"
                                + " VALUES (nextval(pg_get_serial_sequence('history', 'seq')), :hash,"
                                + " :at, :id::uuid, :category, :severity, :node, :rollout::uuid,"
                                + " :actor, :from, :to, :code, :sentence)");
        for (ChangedIncident change : changes) {
            String to = change.isOpened() ? "open" : "resolved";
            batch.bind("hash", Digest.of(change.id() + " " + to + " " + at).value())
                    .bind("at", at.atOffset(ZoneOffset.UTC))
                    .bind("id", change.id())
                    .bind("category", change.category())
                    .bind("severity", change.severity())
                    .bind("node", change.node())
                    .bind("rollout", change.rollout())
                    .bind("actor", change.actor())
                    .bind("from", change.from())
                    .bind("to", to)
                    .bind("code", change.code())
                    .bind("sentence", change.sentence())
                    .add();
        }
        batch.execute();
    }
}
