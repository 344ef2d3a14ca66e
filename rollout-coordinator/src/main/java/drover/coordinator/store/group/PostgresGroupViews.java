package drover.coordinator.store.group;

import drover.coordinator.plan.group.RolloutGroup;
import drover.coordinator.plan.model.NodeCounters;
import drover.coordinator.store.rollout.RolloutReadSql;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.StateJson;
import drover.coordinator.store.sql.UnreadableRow;
import drover.model.GroupId;
import drover.model.RolloutId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** What people read of groups, from PostgreSQL. */
public final class PostgresGroupViews implements GroupViews {
    private final Database database;

    /** Views over the coordinator's schema. */
    public PostgresGroupViews(Database database) {
        this.database = database;
    }

    @Override
    public Optional<GroupWithComponents> find(GroupId id) {
        return database.read(
                "reading group " + id,
                handle ->
                        handle.createQuery("SELECT * FROM rollout_group WHERE id = :id")
                                .bind("id", GroupSql.toUuid(id))
                                .map((row, context) -> readGroupWithComponents(handle, row))
                                .findOne());
    }

    @Override
    public List<ListedGroup> list(String chain, String status, @Nullable GroupId after, int limit) {
        return database.read(
                "listing groups",
                handle ->
                        handle.createQuery(
                                        "SELECT * FROM rollout_group WHERE (:chain = ''"
                                                + " OR chain_profile_id = :chain) AND (:status = ''"
                                                + " OR status = :status) AND (:after::uuid IS NULL"
                                                + " OR (created_at, id) < (SELECT created_at, id FROM"
                                                + " rollout_group WHERE id = :after::uuid))"
                                                + " ORDER BY created_at DESC, id DESC LIMIT :limit")
                                .bind("chain", chain)
                                .bind("status", status)
                                .bind("after", after == null ? null : after.value())
                                .bind("limit", limit)
                                .map((row, context) -> readListed(handle, row))
                                .list());
    }

    private static ListedGroup readListed(Handle handle, ResultSet row) throws SQLException {
        try {
            return readGroupWithComponents(handle, row);
        } catch (UnreadableRow e) {
            return new UnreadableGroup(
                    new GroupId(row.getString("id")),
                    row.getString("chain_profile_id"),
                    row.getString("status"),
                    row.getString("created_by"),
                    row.getObject("created_at", OffsetDateTime.class).toInstant(),
                    RolloutReadSql.readInstant(row, "started_at"),
                    RolloutReadSql.readInstant(row, "finished_at"));
        }
    }

    private static GroupWithComponents readGroupWithComponents(Handle handle, ResultSet row)
            throws SQLException {
        RolloutGroup group = GroupSql.readGroup(row);
        return new GroupWithComponents(
                group,
                readComponents(handle, group.id()),
                row.getString("created_by"),
                row.getObject("created_at", OffsetDateTime.class).toInstant(),
                RolloutReadSql.readInstant(row, "started_at"),
                RolloutReadSql.readInstant(row, "finished_at"));
    }

    private static List<ComponentSummary> readComponents(Handle handle, GroupId id) {
        return handle.createQuery(
                        "SELECT id, spec, state, total_nodes, succeeded_nodes, failed_nodes,"
                                + " pending_nodes, skipped_nodes, rolled_back_nodes FROM rollout"
                                + " WHERE group_id = :id ORDER BY component_index")
                .bind("id", GroupSql.toUuid(id))
                .map(
                        (row, context) ->
                                UnreadableRow.readRow(
                                        "rollout " + row.getString("id"), () -> readComponent(row)))
                .list();
    }

    private static ComponentSummary readComponent(ResultSet row) throws SQLException {
        return new ComponentSummary(
                new RolloutId(row.getString("id")),
                StateJson.readRolloutSpec(row.getString("spec")),
                StateJson.readRolloutState(row.getString("state")),
                new NodeCounters(
                        row.getInt("total_nodes"),
                        row.getInt("succeeded_nodes"),
                        row.getInt("failed_nodes"),
                        row.getInt("pending_nodes"),
                        row.getInt("skipped_nodes"),
                        row.getInt("rolled_back_nodes")));
    }

    @Override
    public List<NumberedHistoryEntry> history(GroupId id, int limit) {
        return database.read(
                "reading the history of a group",
                handle ->
                        handle.createQuery(
                                        "SELECT * FROM group_history WHERE group_id = :id"
                                                + " ORDER BY seq DESC LIMIT :limit")
                                .bind("id", GroupSql.toUuid(id))
                                .bind("limit", limit)
                                .map((row, context) -> GroupSql.readEntry(row))
                                .list());
    }
}
