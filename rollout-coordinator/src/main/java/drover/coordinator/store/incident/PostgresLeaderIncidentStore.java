package drover.coordinator.store.incident;

import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules.LastProgramWork;
import drover.coordinator.plan.incident.IncidentRules.UnhealthyAfterEnd;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.store.sql.Database;
import drover.coordinator.store.sql.Fence;
import drover.coordinator.store.sql.StateJson;
import drover.coordinator.store.sql.UnreadableRow;
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
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Incidents told by agents, in PostgreSQL behind the leader's fence. */
public final class PostgresLeaderIncidentStore implements LeaderIncidentStore {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresLeaderIncidentStore.class);

    private static final List<String> REPORTED =
            Stream.of(IncidentCategory.values())
                    .filter(IncidentCategory::isOpenWhileReported)
                    .map(IncidentChangeSql::columnValue)
                    .toList();

    private final Database database;
    private final Fence fence;

    public PostgresLeaderIncidentStore(Database database, Fence fence) {
        this.database = database;
        this.fence = fence;
    }

    @Override
    public Map<OpenIncident, String> findOpenWhileReported() {
        return database.read(
                "looking for incidents that agents told of",
                handle ->
                        handle.createQuery(
                                        "SELECT category, node_id, rollout_id, sentence FROM incident"
                                                + " WHERE standing AND category = ANY(:told::text[])")
                                .bindArray("told", String.class, REPORTED)
                                .map(
                                        (row, context) ->
                                                Map.entry(
                                                        readOpenIncident(row),
                                                        row.getString("sentence")))
                                .collectToMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static OpenIncident readOpenIncident(ResultSet row) throws SQLException {
        String rollout = row.getString("rollout_id");
        return new OpenIncident(
                IncidentCategory.of(row.getString("category")),
                new NodeId(row.getString("node_id")),
                rollout == null ? null : new RolloutId(rollout));
    }

    @Override
    public List<UnhealthyAfterEnd> findUnhealthyAfterEnd() {
        return database.read(
                "finding incidents of unhealthy nodes whose rollouts have ended",
                handle ->
                        handle
                                .createQuery(
                                        "SELECT i.node_id, r.id, r.spec, r.finished_at FROM incident i"
                                                + " JOIN rollout r ON r.id = i.rollout_id"
                                                + " WHERE i.standing AND i.category = :category"
                                                + " AND r.finished_at IS NOT NULL")
                                .bind(
                                        "category",
                                        IncidentChangeSql.columnValue(
                                                IncidentCategory.NODE_UNHEALTHY))
                                .map((row, context) -> readUnhealthyIfReadable(row))
                                .list()
                                .stream()
                                .flatMap(Optional::stream)
                                .toList());
    }

    /** The rollout of a later version is left to leaders of that version. */
    private static Optional<UnhealthyAfterEnd> readUnhealthyIfReadable(ResultSet row)
            throws SQLException {
        try {
            return Optional.of(
                    UnreadableRow.readRow(
                            "rollout " + row.getString("id"), () -> readUnhealthy(row)));
        } catch (UnreadableRow e) {
            LOG.warn("An incident of an ended rollout is not checked reason={}", e.getMessage());
            return Optional.empty();
        }
    }

    private static UnhealthyAfterEnd readUnhealthy(ResultSet row) throws SQLException {
        RolloutSpec spec = StateJson.readRolloutSpec(row.getString("spec"));
        return new UnhealthyAfterEnd(
                new NodeId(row.getString("node_id")),
                new RolloutId(row.getString("id")),
                spec.programKind(),
                spec.binary(),
                row.getObject("finished_at", OffsetDateTime.class).toInstant(),
                spec.healthWait());
    }

    @Override
    public Map<ProgramOfNode, LastProgramWork> findLastWork(Collection<NodeId> nodes) {
        return database.read(
                "looking for the last work on nodes",
                handle -> {
                    Map<ProgramOfNode, LastProgramWork> found = new HashMap<>();
                    handle.createQuery(
                                    "SELECT DISTINCT ON (n.node_id, r.binary_name) n.node_id,"
                                            + " r.binary_name, r.id, n.state, r.spec,"
                                            + " r.finished_at IS NOT NULL AS ended FROM rollout_node n"
                                            + " JOIN rollout r ON r.id = n.rollout_id"
                                            + " WHERE n.node_id = ANY(:nodes::text[]) AND n.attempt > 0"
                                            + " ORDER BY n.node_id, r.binary_name, n.attempt DESC")
                            .bindArray(
                                    "nodes",
                                    String.class,
                                    nodes.stream().map(NodeId::value).toList())
                            .map((row, context) -> readLastWorkIfReadable(row))
                            .forEach(
                                    one -> one.ifPresent(e -> found.put(e.getKey(), e.getValue())));
                    return found;
                });
    }

    /** What a later version did last says nothing to this one, and hides no other program. */
    private static Optional<Map.Entry<ProgramOfNode, LastProgramWork>> readLastWorkIfReadable(
            ResultSet row) throws SQLException {
        try {
            return Optional.of(
                    Map.entry(
                            readProgram(row),
                            UnreadableRow.readRow(
                                    "rollout " + row.getString("id"), () -> readLastWork(row))));
        } catch (UnreadableRow e) {
            LOG.warn("The last work on a node is left aside reason={}", e.getMessage());
            return Optional.empty();
        }
    }

    private static ProgramOfNode readProgram(ResultSet row) throws SQLException {
        return new ProgramOfNode(
                new NodeId(row.getString("node_id")), row.getString("binary_name"));
    }

    private static LastProgramWork readLastWork(ResultSet row) throws SQLException {
        RolloutSpec spec = StateJson.readRolloutSpec(row.getString("spec"));
        return new LastProgramWork(
                new RolloutId(row.getString("id")),
                StateJson.readNodeState(row.getString("state")),
                row.getBoolean("ended"),
                spec.migration(),
                spec.recoveryPlan());
    }

    @Override
    public boolean write(long epoch, List<IncidentChange> changes, Instant at) {
        return fence.write(
                "writing down what agents noticed",
                epoch,
                false,
                handle -> {
                    new IncidentChangeSql(handle, at).write(changes);
                    return true;
                });
    }
}
