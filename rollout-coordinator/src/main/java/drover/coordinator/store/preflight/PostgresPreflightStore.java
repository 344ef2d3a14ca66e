package drover.coordinator.store.preflight;

import drover.coordinator.plan.preflight.LatestPreflight;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.StateJson;
import drover.coordinator.store.sql.UnreadableRow;
import drover.model.RolloutId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Preflights in PostgreSQL, one row a rollout. Asking for one wakes the leader. */
public final class PostgresPreflightStore implements PreflightStore {
    private final Database database;

    /** A store over the coordinator's schema. */
    public PostgresPreflightStore(Database database) {
        this.database = database;
    }

    @Override
    public LatestPreflight requestPreflight(RolloutId rollout, String actor) {
        return database.write(
                "asking for a preflight",
                handle -> {
                    handle.createUpdate(
                                    """
                                    INSERT INTO rollout_preflight AS p (rollout_id, id, asked_by)
                                    VALUES (:rollout, :id, :actor)
                                    ON CONFLICT (rollout_id) DO UPDATE SET id = excluded.id,
                                      asked_by = excluded.asked_by, asked_at = excluded.asked_at,
                                      finished_at = NULL, nodes = '[]'
                                    WHERE p.finished_at IS NOT NULL
                                    """)
                            .bind("rollout", UUID.fromString(rollout.value()))
                            .bind("id", UUID.randomUUID())
                            .bind("actor", actor)
                            .execute();
                    return find(handle, rollout).orElseThrow();
                });
    }

    @Override
    public Optional<LatestPreflight> find(RolloutId rollout) {
        return database.read("reading a preflight", handle -> find(handle, rollout));
    }

    private static Optional<LatestPreflight> find(Handle handle, RolloutId rollout) {
        return handle.createQuery("SELECT * FROM rollout_preflight WHERE rollout_id = :rollout")
                .bind("rollout", UUID.fromString(rollout.value()))
                .map((row, context) -> readPreflight(row))
                .findOne();
    }

    private static LatestPreflight readPreflight(ResultSet row) throws SQLException {
        OffsetDateTime finished = row.getObject("finished_at", OffsetDateTime.class);
        return new LatestPreflight(
                UUID.fromString(row.getString("id")),
                row.getString("asked_by"),
                row.getObject("asked_at", OffsetDateTime.class).toInstant(),
                finished == null ? null : finished.toInstant(),
                UnreadableRow.readRow(
                        "the preflight of rollout " + row.getString("rollout_id"),
                        () -> StateJson.readPreflight(row.getString("nodes"))));
    }
}
