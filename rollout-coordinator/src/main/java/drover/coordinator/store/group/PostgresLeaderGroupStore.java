package drover.coordinator.store.group;

import drover.coordinator.plan.group.ComponentRolloutSummary;
import drover.coordinator.plan.group.RequestToComponent;
import drover.coordinator.plan.group.RequestToComponent.Status;
import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.plan.request.TwoPersonRule;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.commit.SupersededNodesSql;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.Fence;
import drover.coordinator.store.sql.StateJson;
import drover.coordinator.store.sql.UnreadableRow;
import drover.model.GroupId;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/** What the leader loads and commits of groups, in PostgreSQL. */
public final class PostgresLeaderGroupStore implements LeaderGroupStore {
    private final Database database;
    private final Fence fence;

    public PostgresLeaderGroupStore(Database database, Fence fence) {
        this.database = database;
        this.fence = fence;
    }

    @Override
    public List<GroupId> findActiveOrRequested() {
        return database.read(
                "looking for groups that have not ended",
                handle ->
                        handle.createQuery(
                                        "SELECT g.id::text FROM chain_claim c JOIN rollout_group g"
                                                + " ON g.id = c.owner UNION SELECT group_id::text"
                                                + " FROM group_request WHERE state = 'pending'")
                                .mapTo(String.class)
                                .map(GroupId::new)
                                .list());
    }

    /** One snapshot: what was asked is never newer or older than what came of it. */
    @Override
    public Optional<LoadedGroup> load(GroupId id) {
        return database.read(
                "loading group " + id,
                handle ->
                        handle.inTransaction(
                                TransactionIsolationLevel.REPEATABLE_READ,
                                snapshot -> load(snapshot, id)));
    }

    private static Optional<LoadedGroup> load(Handle handle, GroupId id) {
        return handle.createQuery("SELECT * FROM rollout_group WHERE id = :id")
                .bind("id", GroupSql.toUuid(id))
                .map(
                        (row, context) ->
                                new GroupWithHistoryHead(
                                        GroupSql.readGroup(row), row.getString("history_head")))
                .findOne()
                .map(
                        head ->
                                new LoadedGroup(
                                        head.group(),
                                        head.history(),
                                        readComponents(handle, id),
                                        readComponentRequestStatuses(handle, id)));
    }

    private record GroupWithHistoryHead(RolloutGroup group, String history) {}

    private static List<ComponentRolloutSummary> readComponents(Handle handle, GroupId id) {
        return handle.createQuery(
                        "SELECT state, started_at, created_by, spec, total_nodes, id FROM rollout"
                                + " WHERE group_id = :id"
                                + " ORDER BY component_index")
                .bind("id", GroupSql.toUuid(id))
                .map(
                        (row, context) ->
                                UnreadableRow.readRow(
                                        "rollout " + row.getString(6), () -> readComponent(row)))
                .list();
    }

    private static ComponentRolloutSummary readComponent(ResultSet row) throws SQLException {
        return new ComponentRolloutSummary(
                StateJson.readRolloutState(row.getString(1)),
                row.getObject(2) != null,
                row.getString(3),
                TwoPersonRule.secondPersonReason(
                        StateJson.readRolloutSpec(row.getString(4)), row.getInt(5)));
    }

    private static Map<String, Status> readComponentRequestStatuses(Handle handle, GroupId id) {
        Map<String, Status> steerings = new HashMap<>();
        handle.createQuery(
                        "SELECT idempotency_key, state, refusal_code, refusal_sentence"
                                + " FROM operator_request WHERE actor = :actor")
                .bind("actor", RequestToComponent.groupActor(id))
                .map((row, context) -> Map.entry(row.getString(1), readRequestStatus(row)))
                .forEach(entry -> steerings.put(entry.getKey(), entry.getValue()));
        return steerings;
    }

    private static Status readRequestStatus(ResultSet row) throws SQLException {
        return switch (row.getString("state")) {
            case "applied" -> new Status.Applied();
            case "refused" ->
                    new Status.Refused(
                            RefusalCode.fromStored(row.getString("refusal_code")),
                            row.getString("refusal_sentence"));
            default -> new Status.Pending();
        };
    }

    @Override
    public List<PendingGroupRequest> pendingRequests(GroupId id) {
        return database.read(
                "looking for requests of a group",
                handle ->
                        handle.createQuery(
                                        "SELECT * FROM group_request WHERE group_id = :id"
                                                + " AND state = 'pending' ORDER BY created_at, id")
                                .bind("id", GroupSql.toUuid(id))
                                .map((row, context) -> readPendingRequest(row))
                                .list());
    }

    private static PendingGroupRequest readPendingRequest(ResultSet row) throws SQLException {
        return new PendingGroupRequest(
                UUID.fromString(row.getString("id")),
                row.getString("actor"),
                row.getString("reason"),
                GroupSql.toRequest(row.getString("kind"), row.getInt("acknowledged")),
                row.getObject("created_at", OffsetDateTime.class).toInstant());
    }

    @Override
    public Set<NodeId> findGateNodes(GroupId id, int component) {
        return database.read(
                "looking which nodes a gate looks at",
                handle ->
                        handle
                                .createQuery(
                                        "SELECT n.node_id FROM rollout r JOIN rollout_node n"
                                                + " ON n.rollout_id = r.id WHERE r.group_id = :id"
                                                + " GROUP BY n.node_id HAVING NOT bool_or("
                                                + "r.component_index <= :component"
                                                + " AND n.state ->> 'status' = 'skipped'"
                                                + " AND n.state ->> 'reason' IN ('OFFLINE', 'OPERATOR'))")
                                .bind("id", GroupSql.toUuid(id))
                                .bind("component", component)
                                .mapTo(String.class)
                                .list()
                                .stream()
                                .map(NodeId::new)
                                .collect(Collectors.toUnmodifiableSet()));
    }

    @Override
    public Set<NodeId> findSupersededNodes(GroupId id) {
        return database.read(
                "looking for what changed a group's programs later",
                handle ->
                        handle
                                .createQuery("SELECT id FROM rollout WHERE group_id = :id")
                                .bind("id", GroupSql.toUuid(id))
                                .mapTo(UUID.class)
                                .list()
                                .stream()
                                .flatMap(
                                        rollout ->
                                                SupersededNodesSql.findSupersededNodes(
                                                        handle, rollout)
                                                        .stream())
                                .collect(Collectors.toUnmodifiableSet()));
    }

    @Override
    public Commit.Outcome commit(GroupCommit commit) {
        return fence.write(
                "committing a step of group " + commit.after().id(),
                commit.epoch(),
                new Commit.Outcome.StaleEpoch(),
                handle -> new GroupCommitSql(handle, commit).run());
    }
}
