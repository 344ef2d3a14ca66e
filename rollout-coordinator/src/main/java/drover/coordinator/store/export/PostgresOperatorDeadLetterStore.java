package drover.coordinator.store.export;

import drover.coordinator.store.sql.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;

/** Dead letters in PostgreSQL. */
public final class PostgresOperatorDeadLetterStore implements OperatorDeadLetterStore {
    private final Database database;

    /** Over the coordinator's schema. */
    public PostgresOperatorDeadLetterStore(Database database) {
        this.database = database;
    }

    @Override
    public List<DeadLetter> list(String sink, Position after, int limit) {
        return database.read(
                "listing dead letters",
                handle ->
                        handle.createQuery(
                                        "SELECT * FROM dead_letter WHERE (seq, sink) > (:seq, :place)"
                                                + " AND (:sink = '' OR sink = :sink)"
                                                + " ORDER BY seq, sink LIMIT :limit")
                                .bind("seq", after.seq())
                                .bind("place", after.sink())
                                .bind("sink", sink)
                                .bind("limit", limit)
                                .map((row, context) -> readDeadLetter(row))
                                .list());
    }

    private static DeadLetter readDeadLetter(ResultSet row) throws SQLException {
        return new DeadLetter(
                row.getLong("seq"),
                row.getString("sink"),
                row.getString("event_id"),
                row.getString("type"),
                row.getString("subject"),
                row.getString("problem"),
                row.getInt("attempts"),
                row.getObject("rejected_at", OffsetDateTime.class).toInstant(),
                row.getBoolean("retry"));
    }

    @Override
    public int requestRetry(String sink, Collection<String> events, String actor) {
        return database.write(
                "requesting dead letters to be sent again",
                handle ->
                        handle.createUpdate(
                                        "UPDATE dead_letter SET retry = true, retry_by = :actor"
                                                + " WHERE sink = :sink"
                                                + " AND (:all OR event_id = ANY(:events::text[]))")
                                .bind("actor", actor)
                                .bind("sink", sink)
                                .bind("all", events.isEmpty())
                                .bindArray("events", String.class, List.copyOf(events))
                                .execute());
    }
}
