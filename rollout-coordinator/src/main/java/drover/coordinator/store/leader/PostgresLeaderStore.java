package drover.coordinator.store.leader;

import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.store.commit.AttemptStatusSql;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.CommitSql;
import drover.coordinator.store.commit.LateStatusResult;
import drover.coordinator.store.commit.SupersededNodesSql;
import drover.coordinator.store.group.LeaderGroupStore;
import drover.coordinator.store.group.PostgresLeaderGroupStore;
import drover.coordinator.store.incident.LeaderIncidentStore;
import drover.coordinator.store.incident.PostgresLeaderIncidentStore;
import drover.coordinator.store.node.LeaderOperatorNodeRequestStore;
import drover.coordinator.store.node.PostgresLeaderOperatorNodeRequestStore;
import drover.coordinator.store.preflight.LeaderPreflightStore;
import drover.coordinator.store.preflight.PostgresLeaderPreflightStore;
import drover.coordinator.store.request.RequestParameterColumns;
import drover.coordinator.store.rollout.RolloutReadSql;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.Fence;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The leader's store in PostgreSQL. */
public final class PostgresLeaderStore implements LeaderStore {
    private final Database database;
    private final Fence fence;

    /** A store over the coordinator's schema. */
    public PostgresLeaderStore(Database database) {
        this(database, new Fence(database));
    }

    public PostgresLeaderStore(Database database, Fence fence) {
        this.database = database;
        this.fence = fence;
    }

    @Override
    public long takeOver(String holder) {
        return fence.takeOver(holder);
    }

    @Override
    public boolean isCurrentEpoch(long epoch) {
        return fence.isCurrentEpoch(epoch);
    }

    @Override
    public Instant databaseTime() {
        return database.read(
                "asking for the time",
                handle ->
                        handle.createQuery("SELECT clock_timestamp()")
                                .mapTo(OffsetDateTime.class)
                                .one()
                                .toInstant());
    }

    @Override
    public List<RolloutId> findActiveOrRequested() {
        return database.read(
                "looking for rollouts that have not ended",
                handle ->
                        handle.createQuery(
                                        "SELECT r.id FROM chain_claim c JOIN rollout r ON r.id = c.owner"
                                                + " UNION SELECT r.id FROM chain_claim c JOIN rollout r"
                                                + " ON r.group_id = c.owner WHERE r.finished_at IS NULL UNION"
                                                + " SELECT rollout_id FROM operator_request WHERE state = 'pending'")
                                .mapTo(String.class)
                                .map(RolloutId::new)
                                .list());
    }

    @Override
    public Optional<RolloutWithHistoryHead> load(RolloutId id) {
        return database.read(
                "loading rollout " + id,
                handle ->
                        RolloutReadSql.find(handle, id)
                                .map(
                                        row ->
                                                new RolloutWithHistoryHead(
                                                        RolloutReadSql.loadFull(handle, row),
                                                        row.historyHead(),
                                                        row.facts().traceId())));
    }

    @Override
    public Map<NodeId, NodeAttemptsAndReservation> findReservations(Collection<NodeId> nodes) {
        return database.read(
                "reading what outlives rollouts",
                handle -> {
                    Map<NodeId, NodeAttemptsAndReservation> guards = new HashMap<>();
                    handle.createQuery(
                                    "SELECT g.node_id, g.last_attempt, g.failed_rollback,"
                                            + " g.retired_attempt, a.attempt,"
                                            + " a.rollout_id, (SELECT n.rollout_id FROM rollout_node n"
                                            + " JOIN rollout r ON r.id = n.rollout_id"
                                            + " WHERE n.node_id = g.node_id AND r.finished_at IS NULL"
                                            + " AND n.status IN ('assigned', 'upgrading', 'settling',"
                                            + " 'restoring', 'restored') LIMIT 1) AS in_hand_of"
                                            + " FROM node_guard g LEFT JOIN node_attempt a"
                                            + " ON a.node_id = g.node_id AND a.open"
                                            + " WHERE g.node_id = ANY(:nodes::text[])")
                            .bindArray("nodes", String.class, toTexts(nodes))
                            .map(
                                    (row, context) ->
                                            Map.entry(
                                                    new NodeId(row.getString(1)),
                                                    readReservation(row)))
                            .forEach(entry -> guards.put(entry.getKey(), entry.getValue()));
                    return guards;
                });
    }

    private static NodeAttemptsAndReservation readReservation(ResultSet row) throws SQLException {
        return new NodeAttemptsAndReservation(
                row.getLong("last_attempt"),
                row.getString("attempt") == null ? null : attemptOwner(row.getString("rollout_id")),
                row.getBoolean("failed_rollback"),
                toRolloutId(row.getString("in_hand_of")),
                row.getLong("retired_attempt"));
    }

    private static @Nullable RolloutId toRolloutId(@Nullable String rollout) {
        return rollout == null ? null : new RolloutId(rollout);
    }

    /** An open attempt of no rollout is a clear. */
    private static RolloutId attemptOwner(@Nullable String rollout) {
        return rollout == null ? NodeAttemptsAndReservation.CLEARING : new RolloutId(rollout);
    }

    @Override
    public Set<NodeId> findSupersededNodes(RolloutId id) {
        return database.read(
                "looking for later changes",
                handle ->
                        SupersededNodesSql.findSupersededNodes(
                                handle, UUID.fromString(id.value())));
    }

    @Override
    public List<PendingRequest> pendingRequests(RolloutId id) {
        return database.read(
                "looking for requests",
                handle ->
                        handle.createQuery(
                                        "SELECT * FROM operator_request WHERE rollout_id = :id"
                                                + " AND state = 'pending' ORDER BY created_at, id")
                                .bind("id", UUID.fromString(id.value()))
                                .map((row, context) -> readPendingRequest(row))
                                .list());
    }

    private static PendingRequest readPendingRequest(ResultSet row) throws SQLException {
        return new PendingRequest(
                UUID.fromString(row.getString("id")),
                row.getString("actor"),
                row.getString("reason"),
                RequestParameterColumns.toRequest(
                        row.getString("kind"),
                        row.getString("node_id"),
                        List.of((String[]) row.getArray("node_ids").getArray()),
                        row.getInt("acknowledged"),
                        RolloutReadSql.readInstant(row, "hold_until"),
                        row.getString("evidence"),
                        row.getString("rollback_health")),
                row.getObject("created_at", OffsetDateTime.class).toInstant());
    }

    @Override
    public Map<NodeId, byte[]> loadPayloads(RolloutId id, Collection<NodeId> nodes) {
        return database.read(
                "reading frozen upgrades",
                handle -> {
                    Map<NodeId, byte[]> payloads = new HashMap<>();
                    handle.createQuery(
                                    "SELECT node_id, body FROM payload WHERE rollout_id = :id"
                                            + " AND node_id = ANY(:nodes::text[])")
                            .bind("id", UUID.fromString(id.value()))
                            .bindArray("nodes", String.class, toTexts(nodes))
                            .map(
                                    (row, c) ->
                                            Map.entry(
                                                    new NodeId(row.getString(1)), row.getBytes(2)))
                            .forEach(entry -> payloads.put(entry.getKey(), entry.getValue()));
                    return payloads;
                });
    }

    @Override
    public Map<NodeId, StoredUnsignedCommand> loadCommands(
            RolloutId id, Map<NodeId, Long> attempts) {
        return database.read("reading commands", handle -> loadCommands(handle, attempts));
    }

    private static Map<NodeId, StoredUnsignedCommand> loadCommands(
            Handle handle, Map<NodeId, Long> attempts) {
        Map<NodeId, StoredUnsignedCommand> commands = new HashMap<>();
        List<Map.Entry<NodeId, Long>> wanted = List.copyOf(attempts.entrySet());
        handle.createQuery(
                        "SELECT a.node_id, a.body, a.restore_of FROM node_attempt a JOIN"
                                + " unnest(:nodes::text[], :attempts::bigint[]) AS u(node, attempt)"
                                + " ON a.node_id = u.node AND a.attempt = u.attempt")
                .bindArray(
                        "nodes",
                        String.class,
                        wanted.stream().map(e -> e.getKey().value()).toList())
                .bindArray(
                        "attempts", Long.class, wanted.stream().map(Map.Entry::getValue).toList())
                .map(
                        (row, context) ->
                                Map.entry(
                                        new NodeId(row.getString(1)),
                                        new StoredUnsignedCommand(
                                                row.getBytes(2), row.getLong(3) != 0)))
                .forEach(entry -> commands.put(entry.getKey(), entry.getValue()));
        return commands;
    }

    @Override
    public Map<String, byte[]> loadContents(Collection<String> digests) {
        return database.read(
                "reading contents",
                handle -> {
                    Map<String, byte[]> contents = new HashMap<>();
                    handle.createQuery(
                                    "SELECT digest, data FROM content WHERE digest = ANY(:digests::text[])")
                            .bindArray("digests", String.class, List.copyOf(digests))
                            .map((row, context) -> Map.entry(row.getString(1), row.getBytes(2)))
                            .forEach(entry -> contents.put(entry.getKey(), entry.getValue()));
                    return contents;
                });
    }

    @Override
    public Commit.Outcome commit(Commit commit) {
        return fence.write(
                "committing a step of rollout " + commit.after().id(),
                commit.epoch(),
                new Commit.Outcome.StaleEpoch(),
                handle -> new CommitSql(handle, commit).run());
    }

    @Override
    public Set<NodeId> findNodesWithStoredStatus(Collection<Commit.ReportedAttemptStatus> reports) {
        return database.read(
                "looking for statuses that are known",
                handle -> AttemptStatusSql.findNodesWithStoredStatus(handle, reports));
    }

    @Override
    public LateStatusResult applyLateStatus(
            long epoch, Commit.ReportedAttemptStatus report, Instant at) {
        return fence.write(
                "taking in a late status",
                epoch,
                LateStatusResult.STALE_EPOCH,
                handle -> new EndedRolloutStatusSql(handle, epoch, report, at).run());
    }

    @Override
    public List<OpenAttempt> findOrphanedAttempts() {
        return database.read(
                "looking for attempts that outlived their rollouts",
                handle ->
                        handle.createQuery(
                                        "SELECT a.node_id, a.attempt FROM node_attempt a"
                                                + " JOIN rollout r ON r.id = a.rollout_id"
                                                + " WHERE a.open AND r.finished_at IS NOT NULL")
                                .map(
                                        (row, context) ->
                                                new OpenAttempt(
                                                        new NodeId(row.getString(1)),
                                                        row.getLong(2)))
                                .list());
    }

    @Override
    public LeaderOperatorNodeRequestStore nodeRequests() {
        return new PostgresLeaderOperatorNodeRequestStore(database, fence);
    }

    @Override
    public LeaderGroupStore groups() {
        return new PostgresLeaderGroupStore(database, fence);
    }

    @Override
    public LeaderPreflightStore preflights() {
        return new PostgresLeaderPreflightStore(database, fence);
    }

    @Override
    public LeaderIncidentStore incidents() {
        return new PostgresLeaderIncidentStore(database, fence);
    }

    private static List<String> toTexts(Collection<NodeId> nodes) {
        return nodes.stream().map(NodeId::value).toList();
    }
}
