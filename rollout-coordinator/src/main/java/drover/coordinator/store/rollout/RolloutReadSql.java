package drover.coordinator.store.rollout;

import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.Handover;
import drover.coordinator.plan.model.NodeCounters;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.store.rollout.RolloutViews.ActorAndTime;
import drover.coordinator.store.rollout.RolloutViews.RolloutMetadata;
import drover.coordinator.store.sql.StateJson;
import drover.coordinator.store.sql.UnreadableRow;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Reads rollouts out of their rows. */
public final class RolloutReadSql {
    private RolloutReadSql() {}

    /** A row of the table without its nodes and batches. */
    public record RolloutTableRow(
            RolloutId id,
            long revision,
            String spec,
            String state,
            int acknowledgedFailures,
            int acceptedOffline,
            boolean forced,
            String historyHead,
            NodeCounters counters,
            int notRollbackable,
            RolloutMetadata facts) {
        Rollout toRollout(List<Batch> batches, Map<NodeId, NodeUpgrade> nodes) {
            return UnreadableRow.readRow(
                    "rollout " + id,
                    () ->
                            new Rollout(
                                    id,
                                    revision,
                                    withCreator(StateJson.readRolloutSpec(spec)),
                                    StateJson.readRolloutState(state),
                                    acknowledgedFailures,
                                    acceptedOffline,
                                    forced,
                                    batches,
                                    nodes));
        }

        /** Rollouts written by earlier versions have their creator in a column alone. */
        private RolloutSpec withCreator(RolloutSpec written) {
            return written.withTwoPersonRuleInput(
                    facts.createdBy(), written.oversight().chainNodes());
        }
    }

    public static Optional<RolloutTableRow> find(Handle handle, RolloutId id) {
        return handle.createQuery("SELECT * FROM rollout WHERE id = :id")
                .bind("id", UUID.fromString(id.value()))
                .map((row, context) -> readRow(row))
                .findOne();
    }

    public static Rollout loadFull(Handle handle, RolloutTableRow row) {
        return row.toRollout(readBatches(handle, row.id()), readNodes(handle, row.id()));
    }

    static RolloutTableRow readRow(ResultSet row) throws SQLException {
        return new RolloutTableRow(
                new RolloutId(row.getString("id")),
                row.getLong("revision"),
                row.getString("spec"),
                row.getString("state"),
                row.getInt("acknowledged_failures"),
                row.getInt("accepted_offline"),
                row.getBoolean("forced"),
                row.getString("history_head"),
                new NodeCounters(
                        row.getInt("total_nodes"),
                        row.getInt("succeeded_nodes"),
                        row.getInt("failed_nodes"),
                        row.getInt("pending_nodes"),
                        row.getInt("skipped_nodes"),
                        row.getInt("rolled_back_nodes")),
                row.getInt("not_rollbackable_nodes"),
                new RolloutMetadata(
                        row.getString("trace_id"),
                        row.getString("created_by"),
                        row.getObject("created_at", OffsetDateTime.class).toInstant(),
                        readInstant(row, "started_at"),
                        readInstant(row, "finished_at"),
                        readAttribution(row, "forced"),
                        readAttribution(row, "approved"),
                        readInstant(row, "pruned_at")));
    }

    private static @Nullable ActorAndTime readAttribution(ResultSet row, String what)
            throws SQLException {
        Instant at = readInstant(row, what + "_at");
        return at == null ? null : new ActorAndTime(row.getString(what + "_by"), at);
    }

    static List<Batch> readBatches(Handle handle, RolloutId id) {
        return handle.createQuery(
                        "SELECT batch_index, canary, phase, since FROM rollout_batch"
                                + " WHERE rollout_id = :id ORDER BY batch_index")
                .bind("id", UUID.fromString(id.value()))
                .map(
                        (row, context) ->
                                new Batch(
                                        row.getInt("batch_index"),
                                        row.getBoolean("canary"),
                                        parsePhase(id, row.getString("phase")),
                                        row.getObject("since", OffsetDateTime.class).toInstant()))
                .list();
    }

    private static BatchPhase parsePhase(RolloutId id, String word) {
        try {
            return BatchPhase.valueOf(word.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw new UnreadableRow("rollout " + id, e);
        }
    }

    private static Map<NodeId, NodeUpgrade> readNodes(Handle handle, RolloutId id) {
        Map<NodeId, NodeUpgrade> nodes = new LinkedHashMap<>();
        handle.createQuery("SELECT * FROM rollout_node WHERE rollout_id = :id ORDER BY node_id")
                .bind("id", UUID.fromString(id.value()))
                .map((row, context) -> readNode(row))
                .forEach(node -> nodes.put(node.id(), node));
        return nodes;
    }

    /** One node of a rollout. */
    public static Optional<NodeUpgrade> readNode(Handle handle, UUID rollout, NodeId node) {
        return handle.createQuery(
                        "SELECT * FROM rollout_node WHERE rollout_id = :id AND node_id = :node")
                .bind("id", rollout)
                .bind("node", node.value())
                .map((row, context) -> readNode(row))
                .findOne();
    }

    static NodeUpgrade readNode(ResultSet row) throws SQLException {
        String name =
                "node " + row.getString("node_id") + " of rollout " + row.getString("rollout_id");
        return UnreadableRow.readRow(name, () -> readNodeColumns(row));
    }

    private static NodeUpgrade readNodeColumns(ResultSet row) throws SQLException {
        return new NodeUpgrade(
                StateJson.readNodeTarget(row.getString("target")),
                row.getInt("batch_index"),
                StateJson.readNodeState(row.getString("state")),
                row.getInt("attempt_count"),
                row.getLong("attempt"),
                row.getBoolean("attempt_open"),
                row.getLong("sequence"),
                row.getLong("installed_by"),
                StateJson.readProgress(row.getString("progress")),
                row.getString("running_checksum"),
                parseHandover(row.getString("handover")));
    }

    private static Handover parseHandover(@Nullable String json) {
        return json == null ? Handover.none() : StateJson.readHandover(json);
    }

    public static @Nullable Instant readInstant(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
