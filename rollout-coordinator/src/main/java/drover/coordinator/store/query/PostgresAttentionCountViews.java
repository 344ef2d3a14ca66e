package drover.coordinator.store.query;

import drover.coordinator.store.sql.Database;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Counts of what waits for operators, from PostgreSQL. */
public final class PostgresAttentionCountViews implements AttentionCountViews {
    private final Database database;

    /** Over the coordinator's schema. */
    public PostgresAttentionCountViews(Database database) {
        this.database = database;
    }

    @Override
    public AttentionCounts readCounts() {
        return database.read(
                "counting what waits for operators",
                handle -> {
                    Map<String, Long> incidents =
                            countByKey(
                                    handle,
                                    "SELECT category, count(*) FROM incident"
                                            + " WHERE state <> 'resolved' GROUP BY category");
                    long letters =
                            handle.createQuery(
                                            "SELECT count(*) FROM dead_letter d JOIN event_sink s"
                                                    + " ON s.name = d.sink"
                                                    + " JOIN leader_epoch USING (epoch)")
                                    .mapTo(Long.class)
                                    .one();
                    return handle.createQuery(
                                    "SELECT count(*), min((state ->> 'since')::timestamptz), now()"
                                            + " FROM rollout WHERE status = 'awaiting_approval'"
                                            + " AND finished_at IS NULL")
                            .map(
                                    (row, context) ->
                                            new AttentionCounts(
                                                    incidents,
                                                    row.getLong(1),
                                                    age(
                                                            row.getObject(2, OffsetDateTime.class),
                                                            row.getObject(3, OffsetDateTime.class)),
                                                    letters))
                            .one();
                });
    }

    private static Duration age(
            @Nullable OffsetDateTime since, // null without any
            OffsetDateTime now) {
        Duration age = since == null ? Duration.ZERO : Duration.between(since, now);
        return age.isNegative() ? Duration.ZERO : age;
    }

    private static Map<String, Long> countByKey(Handle handle, String sql) {
        Map<String, Long> counts = new HashMap<>();
        handle.createQuery(sql)
                .map((row, context) -> Map.entry(row.getString(1), row.getLong(2)))
                .forEach(entry -> counts.put(entry.getKey(), entry.getValue()));
        return counts;
    }
}
