package drover.coordinator.store.rollout;

import drover.coordinator.plan.model.CurrentDesiredProgram;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.ProgramKind;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.StateJson;
import drover.coordinator.store.sql.UnreadableRow;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** What people read, from PostgreSQL. */
public final class PostgresRolloutViews implements RolloutViews {
    private final Database database;

    /** Views over the coordinator's schema. */
    public PostgresRolloutViews(Database database) {
        this.database = database;
    }

    @Override
    public Optional<RolloutWithMetadata> find(RolloutId id) {
        return database.read(
                "reading rollout " + id,
                handle ->
                        RolloutReadSql.find(handle, id)
                                .map(
                                        row ->
                                                new RolloutWithMetadata(
                                                        RolloutReadSql.loadFull(handle, row),
                                                        row.facts())));
    }

    @Override
    public List<ListedRollout> list(Filter only, @Nullable RolloutId after, int limit) {
        return database.read(
                "listing rollouts",
                handle ->
                        handle.createQuery(
                                        "SELECT * FROM rollout WHERE (:chain = '' OR chain_profile_id = :chain)"
                                                + " AND (:status = '' OR status = :status)"
                                                + " AND (:strategy = '' OR strategy = :strategy)"
                                                + " AND (:group = '' OR group_id::text = :group)"
                                                + " AND (:trace = '' OR trace_id = :trace)"
                                                + " AND (:node = '' OR id IN (SELECT rollout_id"
                                                + " FROM rollout_node WHERE node_id = :node))"
                                                + " AND (:after::uuid IS NULL"
                                                + " OR (created_at, id) < (SELECT created_at, id FROM rollout"
                                                + " WHERE id = :after::uuid)) ORDER BY created_at DESC, id DESC"
                                                + " LIMIT :limit")
                                .bind("chain", only.chain())
                                .bind("status", only.status())
                                .bind("strategy", only.strategy())
                                .bind("group", only.group())
                                .bind("node", only.node())
                                .bind("trace", only.trace())
                                .bind("after", after == null ? null : after.value())
                                .bind("limit", limit)
                                .map((row, context) -> readListed(handle, row))
                                .list());
    }

    private static ListedRollout readListed(Handle handle, ResultSet columns) throws SQLException {
        RolloutReadSql.RolloutTableRow row = RolloutReadSql.readRow(columns);
        try {
            return new Summary(
                    row.toRollout(RolloutReadSql.readBatches(handle, row.id()), Map.of()),
                    row.counters(),
                    row.notRollbackable(),
                    row.facts());
        } catch (UnreadableRow e) {
            return new UnreadableRollout(
                    row.id(),
                    columns.getString("chain_profile_id"),
                    columns.getString("binary_name"),
                    columns.getString("target_version"),
                    columns.getString("status"),
                    row.counters(),
                    row.facts());
        }
    }

    @Override
    public Optional<NodePage> findNodePage(RolloutId id, String after, int limit) {
        return database.read(
                "reading the nodes of rollout " + id,
                handle ->
                        RolloutReadSql.find(handle, id)
                                .map(row -> new NodePageSql(handle, row).read(after, limit)));
    }

    @Override
    public List<NumberedHistoryEntry> history(RolloutId id, int limit) {
        return database.read(
                "reading the history", handle -> HistorySql.findByRollout(handle, id, limit));
    }

    @Override
    public List<NumberedHistoryEntry> history(RolloutId id, Instant until, int limit) {
        return database.read(
                "reading the history up to a moment",
                handle -> HistorySql.findByRollout(handle, id, until, limit));
    }

    @Override
    public List<NumberedHistoryEntry> findLastTransitions(RolloutId id, Instant until) {
        return database.read(
                "reading how a rollout stood",
                handle -> HistorySql.findLastTransitions(handle, id, until));
    }

    @Override
    public List<CurrentDesiredProgram> findDesiredPrograms(NodeId node) {
        return database.read(
                "reading what a node shall run",
                handle ->
                        handle.createQuery(
                                        "SELECT DISTINCT ON (r.binary_name) n.*, r.spec FROM rollout_node n"
                                                + " JOIN rollout r ON r.id = n.rollout_id"
                                                + " WHERE n.node_id = :node AND (r.finished_at IS NULL"
                                                + " OR n.attempt > 0)"
                                                + " ORDER BY r.binary_name, r.created_at DESC, r.id")
                                .bind("node", node.value())
                                .map(
                                        (row, context) ->
                                                UnreadableRow.readRow(
                                                        "rollout " + row.getString("rollout_id"),
                                                        () ->
                                                                toDesiredProgram(
                                                                        row,
                                                                        RolloutReadSql.readNode(
                                                                                row))))
                                .list());
    }

    @Override
    public DesiredAgents findDesiredAgents(Collection<NodeId> nodes) {
        return database.read(
                "reading which agents nodes shall have",
                handle -> {
                    Map<NodeId, Version> versions = new HashMap<>();
                    Set<NodeId> unread = new HashSet<>();
                    handle.createQuery(
                                    "SELECT DISTINCT ON (n.node_id) n.*, r.spec FROM rollout_node n"
                                            + " JOIN rollout r ON r.id = n.rollout_id"
                                            + " WHERE n.node_id = ANY(:nodes::text[])"
                                            + " AND r.chain_profile_id = :agents"
                                            + " AND r.binary_name = :agent"
                                            + " AND (r.finished_at IS NULL OR n.attempt > 0)"
                                            + " ORDER BY n.node_id, r.created_at DESC, r.id")
                            .bindArray(
                                    "nodes",
                                    String.class,
                                    nodes.stream().map(NodeId::value).toList())
                            .bind("agents", ProgramKind.AGENTS.value())
                            .bind("agent", BinaryName.AGENT.value())
                            .map((row, context) -> readDesiredAgent(row))
                            .forEach(
                                    one ->
                                            one.version()
                                                    .ifPresentOrElse(
                                                            it -> versions.put(one.node(), it),
                                                            () -> unread.add(one.node())));
                    return new DesiredAgents(versions, unread);
                });
    }

    /** The agent that one node shall have; empty when a later version wrote it. */
    private record DesiredAgent(NodeId node, Optional<Version> version) {}

    private static DesiredAgent readDesiredAgent(ResultSet row) throws SQLException {
        NodeId node = new NodeId(row.getString("node_id"));
        try {
            return new DesiredAgent(
                    node,
                    Optional.of(toDesiredProgram(row, RolloutReadSql.readNode(row)).version()));
        } catch (UnreadableRow e) {
            return new DesiredAgent(node, Optional.empty());
        }
    }

    private static CurrentDesiredProgram toDesiredProgram(ResultSet row, NodeUpgrade node)
            throws SQLException {
        return CurrentDesiredProgram.of(
                new RolloutId(row.getString("rollout_id")),
                StateJson.readRolloutSpec(row.getString("spec")),
                node);
    }

    @Override
    public NodeHistory nodeHistory(String node, Instant until, int history) {
        return database.read(
                "reading what is kept of a node",
                handle -> new NodeHistorySql(handle, node, until).read(history));
    }
}
