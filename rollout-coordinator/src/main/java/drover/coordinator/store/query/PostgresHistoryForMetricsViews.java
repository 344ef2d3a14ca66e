package drover.coordinator.store.query;

import drover.coordinator.metrics.HistoryEntryForMetrics;
import drover.coordinator.store.sql.Database;
import drover.model.RolloutId;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;

/** Moves from PostgreSQL, by the index that history has for each rollout. */
public final class PostgresHistoryForMetricsViews implements HistoryForMetricsViews {
    private final Database database;

    /** Moves from the coordinator's schema. */
    public PostgresHistoryForMetricsViews(Database database) {
        this.database = database;
    }

    @Override
    public List<HistoryEntryForMetrics> findEntries(RolloutId rollout) {
        return database.read(
                "reading since when nodes are at work",
                handle ->
                        handle.createQuery(
                                        "SELECT at, subject, node_id, from_status, to_status FROM history"
                                                + " WHERE rollout_id = :id AND subject IN ('rollout', 'node')"
                                                + " AND from_status <> to_status ORDER BY seq")
                                .bind("id", UUID.fromString(rollout.value()))
                                .map(
                                        (row, context) ->
                                                new HistoryEntryForMetrics(
                                                        row.getObject("at", OffsetDateTime.class)
                                                                .toInstant(),
                                                        row.getString("subject"),
                                                        row.getString("node_id"),
                                                        row.getString("from_status"),
                                                        row.getString("to_status")))
                                .list());
    }
}
