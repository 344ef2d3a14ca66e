package drover.coordinator.store.retention;

import drover.coordinator.plan.RetentionRules;
import drover.coordinator.store.commit.SupersededNodesSql;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.Fence;
import drover.model.RolloutId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Takes away what is long past in PostgreSQL. */
public final class PostgresRetentionStore implements RetentionStore {
    private static final String FACTS =
            """
            SELECT r.id, greatest(r.finished_at, g.finished_at) AS ended_at,
              g.id IS NOT NULL AND g.finished_at IS NULL AS group_active,
              NOT EXISTS (SELECT 1 FROM rollout o WHERE o.chain_profile_id = r.chain_profile_id
                AND o.binary_name = r.binary_name
                AND (o.finished_at, o.id) > (r.finished_at, r.id)) AS latest,
              (SELECT count(*) FROM rollout_node n WHERE n.rollout_id = r.id
                AND n.installed_by <> 0) AS installed,
              (SELECT count(*) FROM node_attempt a WHERE a.rollout_id = r.id AND a.open) AS open,
              (SELECT count(*) FROM operator_request q WHERE q.rollout_id = r.id
                AND q.state = 'pending') AS undecided
            FROM rollout r LEFT JOIN rollout_group g ON g.id = r.group_id
            WHERE r.finished_at IS NOT NULL AND r.pruned_at IS NULL
            """;

    private final Database database;
    private final Fence fence;

    /** A store over the coordinator's schema. */
    public PostgresRetentionStore(Database database) {
        this.database = database;
        this.fence = new Fence(database);
    }

    @Override
    public List<RetentionRules.EndedRollout> findEndedUnpruned(
            Instant before, @Nullable RolloutId after, int limit) {
        return database.read(
                "looking for rollouts that are long past",
                handle ->
                        handle
                                .createQuery(
                                        FACTS
                                                + " AND r.finished_at < :before AND (:after::uuid IS NULL OR"
                                                + " (r.finished_at, r.id) > (SELECT finished_at, id FROM rollout"
                                                + " WHERE id = :after::uuid))"
                                                + " ORDER BY r.finished_at, r.id LIMIT :limit")
                                .bind("before", before.atOffset(ZoneOffset.UTC))
                                .bind("after", after == null ? null : after.value())
                                .bind("limit", limit)
                                .map((row, context) -> EndedRolloutRow.of(row))
                                .list()
                                .stream()
                                .map(facts -> facts.toEndedRollout(handle))
                                .toList());
    }

    /** As read, before it is known on which nodes the installation stands. */
    private record EndedRolloutRow(
            UUID id,
            Instant endedAt,
            boolean groupActive,
            boolean latest,
            int installed,
            int open,
            int undecided) {
        static EndedRolloutRow of(ResultSet row) throws SQLException {
            return new EndedRolloutRow(
                    UUID.fromString(row.getString("id")),
                    row.getObject("ended_at", OffsetDateTime.class).toInstant(),
                    row.getBoolean("group_active"),
                    row.getBoolean("latest"),
                    row.getInt("installed"),
                    row.getInt("open"),
                    row.getInt("undecided"));
        }

        RetentionRules.EndedRollout toEndedRollout(Handle handle) {
            int superseded =
                    installed == 0 ? 0 : SupersededNodesSql.findSupersededNodes(handle, id).size();
            return new RetentionRules.EndedRollout(
                    new RolloutId(id.toString()),
                    endedAt,
                    groupActive,
                    latest,
                    installed - superseded,
                    open,
                    undecided);
        }
    }

    @Override
    public PruneDecision markForPruningIfExpired(
            long epoch, RolloutId id, Instant now, Duration keep) {
        return fence.write(
                "deciding that rollout " + id + " is long past",
                epoch,
                PruneDecision.STALE_EPOCH,
                handle ->
                        markForPruningIfExpired(
                                handle, epoch, UUID.fromString(id.value()), now, keep));
    }

    /** The rollout's row is locked first, as every commit does, and before a request is written. */
    private static PruneDecision markForPruningIfExpired(
            Handle handle, long epoch, UUID id, Instant now, Duration keep) {
        handle.execute("SELECT 1 FROM rollout WHERE id = ? FOR UPDATE", id);
        boolean goes =
                handle.createQuery(FACTS + " AND r.id = :id")
                        .bind("id", id)
                        .map((row, context) -> EndedRolloutRow.of(row))
                        .findOne()
                        .map(
                                facts ->
                                        RetentionRules.decide(
                                                facts.toEndedRollout(handle), now, keep))
                        .filter(RetentionRules.RetentionDecision.EXPIRED::equals)
                        .isPresent();
        if (!goes) {
            return PruneDecision.STAYS;
        }
        handle.createUpdate(
                        "UPDATE rollout SET pruned_at = :now, pruning = true, plan = '',"
                                + " revision = revision + 1, epoch = :epoch WHERE id = :id")
                .bind("now", now.atOffset(ZoneOffset.UTC))
                .bind("epoch", epoch)
                .bind("id", id)
                .execute();
        return PruneDecision.GOES;
    }

    @Override
    public List<RolloutId> findMarkedForPruning(int limit) {
        return database.read(
                "looking for rollouts of which something has to go",
                handle ->
                        handle.createQuery(
                                        "SELECT id::text FROM rollout WHERE pruning"
                                                + " ORDER BY finished_at LIMIT :limit")
                                .bind("limit", limit)
                                .mapTo(String.class)
                                .map(RolloutId::new)
                                .list());
    }

    @Override
    public Optional<Integer> deleteRolloutRows(long epoch, RolloutId id, int rows) {
        return fence.write(
                "taking away what is past of rollout " + id,
                epoch,
                Optional.empty(),
                handle ->
                        Optional.of(
                                new RetentionSql(handle, epoch)
                                        .deleteRolloutRows(UUID.fromString(id.value()), rows)));
    }

    @Override
    public Optional<Integer> deleteRowsOutsideRollouts(long epoch, Instant before, int rows) {
        return fence.write(
                "taking away attempts that are past",
                epoch,
                Optional.empty(),
                handle ->
                        Optional.of(
                                new RetentionSql(handle, epoch)
                                        .deleteRowsOutsideRollouts(before, rows)));
    }

    @Override
    public Optional<Integer> deleteGroupsAndIncidents(long epoch, Instant before, int rows) {
        return fence.write(
                "taking away groups and incidents that are past",
                epoch,
                Optional.empty(),
                handle -> {
                    GroupAndIncidentRetentionSql past =
                            new GroupAndIncidentRetentionSql(handle, before);
                    int deleted = past.deleteFromNextGroup(rows);
                    return Optional.of(deleted + past.deleteResolvedIncidents(rows - deleted));
                });
    }
}
