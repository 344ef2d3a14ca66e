package drover.coordinator.store.preflight;

import drover.coordinator.plan.preflight.NodePreflightResult;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.Fence;
import drover.coordinator.store.sql.StateJson;
import drover.model.RolloutId;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Preflights in PostgreSQL, behind the leader's fence. */
public final class PostgresLeaderPreflightStore implements LeaderPreflightStore {
    private final Database database;
    private final Fence fence;

    public PostgresLeaderPreflightStore(Database database, Fence fence) {
        this.database = database;
        this.fence = fence;
    }

    @Override
    public List<UnfinishedPreflight> findUnfinished(Set<UUID> aside) {
        return database.read(
                "looking for preflights",
                handle ->
                        handle.createQuery(
                                        "SELECT id::text, rollout_id::text FROM rollout_preflight"
                                                + " WHERE finished_at IS NULL AND id <> ALL(:aside::uuid[])"
                                                + " ORDER BY asked_at LIMIT 100")
                                .bindArray("aside", UUID.class, List.copyOf(aside))
                                .map(
                                        (row, context) ->
                                                new UnfinishedPreflight(
                                                        UUID.fromString(row.getString(1)),
                                                        new RolloutId(row.getString(2))))
                                .list());
    }

    @Override
    public boolean finishIfLatest(
            long epoch,
            UnfinishedPreflight requested,
            Instant at,
            List<NodePreflightResult> nodes) {
        return fence.write(
                "writing down what a preflight found",
                epoch,
                false,
                handle -> {
                    handle.createUpdate(
                                    "UPDATE rollout_preflight SET finished_at = :at,"
                                            + " nodes = :nodes::jsonb WHERE rollout_id = :rollout"
                                            + " AND id = :id")
                            .bind("at", at.atOffset(ZoneOffset.UTC))
                            .bind("nodes", StateJson.write(nodes))
                            .bind("rollout", UUID.fromString(requested.rollout().value()))
                            .bind("id", requested.id())
                            .execute();
                    return true;
                });
    }
}
