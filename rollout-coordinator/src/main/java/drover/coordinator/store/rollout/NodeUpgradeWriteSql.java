package drover.coordinator.store.rollout;

import drover.coordinator.plan.explain.RolloutExplainer;
import drover.coordinator.plan.model.Handover;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.store.sql.StateJson;
import drover.model.UpgradePhase;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Update;

/** Writes many nodes of a rollout in one statement. */
public final class NodeUpgradeWriteSql {
    private static final String COLUMNS =
            "unnest(:nodes::text[], :batches::int[], :states::text[], :phases::text[], :progress::text[],"
                    + " :errors::text[], :counts::int[], :attempts::bigint[], :open::boolean[],"
                    + " :sequences::bigint[], :installed::bigint[], :running::text[],"
                    + " :handovers::text[])"
                    + " AS u(node_id, batch_index, state, phase, progress, error, count, attempt, open,"
                    + " sequence, installed, running, handover)";

    private NodeUpgradeWriteSql() {}

    public static int update(Handle handle, UUID rollout, Collection<NodeUpgrade> nodes) {
        return bindNodes(
                        handle.createUpdate(
                                "UPDATE rollout_node n SET batch_index = u.batch_index,"
                                        + " state = u.state::jsonb, upgrade_phase = u.phase,"
                                        + " progress = u.progress::jsonb, error_message = u.error,"
                                        + " attempt_count = u.count, attempt = u.attempt,"
                                        + " attempt_open = u.open, sequence = u.sequence,"
                                        + " installed_by = u.installed, running_checksum = u.running,"
                                        + " handover = nullif(u.handover, '')::jsonb,"
                                        + " updated_at = now() FROM "
                                        + COLUMNS
                                        + " WHERE n.rollout_id = :rollout AND n.node_id = u.node_id"),
                        nodes)
                .bind("rollout", rollout)
                .execute();
    }

    public static void insert(Handle handle, UUID rollout, Collection<NodeUpgrade> nodes) {
        Update insert =
                handle.createUpdate(
                        "INSERT INTO rollout_node (rollout_id, node_id, batch_index, target, state,"
                                + " progress, previous_version, previous_binary_url, previous_checksum,"
                                + " error_message) SELECT :rollout, u.* FROM unnest(:nodes::text[],"
                                + " :batches::int[], :targets::jsonb[], :states::jsonb[],"
                                + " :progress::jsonb[], :versions::text[], :urls::text[],"
                                + " :checksums::text[], :errors::text[]) AS u");
        bindTexts(insert, "nodes", nodes, node -> node.id().value());
        bindInts(insert, "batches", nodes, NodeUpgrade::batch);
        bindTexts(insert, "targets", nodes, node -> StateJson.write(node.target()));
        bindTexts(insert, "states", nodes, node -> StateJson.write(node.state()));
        bindTexts(insert, "progress", nodes, node -> StateJson.write(node.progress()));
        bindTexts(insert, "versions", nodes, node -> node.target().sourceVersion().value());
        bindTexts(insert, "urls", nodes, node -> node.target().sourceUrl());
        bindTexts(insert, "checksums", nodes, node -> node.target().sourceDigest().value());
        bindTexts(insert, "errors", nodes, NodeUpgradeWriteSql::errorColumn);
        insert.bind("rollout", rollout).execute();
    }

    private static Update bindNodes(Update update, Collection<NodeUpgrade> nodes) {
        bindTexts(update, "nodes", nodes, node -> node.id().value());
        bindInts(update, "batches", nodes, NodeUpgrade::batch);
        bindTexts(update, "states", nodes, node -> StateJson.write(node.state()));
        bindTexts(update, "phases", nodes, NodeUpgradeWriteSql::phaseColumn);
        bindTexts(update, "progress", nodes, node -> StateJson.write(node.progress()));
        bindTexts(update, "errors", nodes, NodeUpgradeWriteSql::errorColumn);
        bindInts(update, "counts", nodes, NodeUpgrade::attempts);
        bindLongs(update, "attempts", nodes, NodeUpgrade::attempt);
        update.bindArray("open", Boolean.class, nodes.stream().map(NodeUpgrade::open).toList());
        bindLongs(update, "sequences", nodes, NodeUpgrade::sequence);
        bindLongs(update, "installed", nodes, NodeUpgrade::installedBy);
        bindTexts(update, "running", nodes, NodeUpgrade::running);
        bindTexts(update, "handovers", nodes, NodeUpgradeWriteSql::handoverColumn);
        return update;
    }

    /** Empty where none is under way, as nearly always. */
    private static String handoverColumn(NodeUpgrade node) {
        return node.handover() instanceof Handover.None ? "" : StateJson.write(node.handover());
    }

    private static String phaseColumn(NodeUpgrade node) {
        UpgradePhase phase = node.phase();
        return phase == null ? "" : phase.name();
    }

    /** What people read beside the status: the reason of a failure, a skip or a restore. */
    private static String errorColumn(NodeUpgrade node) {
        boolean reports =
                node.state().isFailure()
                        || node.state() instanceof NodeState.Skipped
                        || node.state() instanceof NodeState.Held
                        || node.state() instanceof NodeState.Restoring;
        return reports ? RolloutExplainer.nodeStateReason(node).sentence() : "";
    }

    static void bindTexts(
            Update update,
            String name,
            Collection<NodeUpgrade> nodes,
            Function<NodeUpgrade, String> value) {
        List<String> values = nodes.stream().map(value).toList();
        update.bindArray(name, String.class, values);
    }

    private static void bindInts(
            Update update,
            String name,
            Collection<NodeUpgrade> nodes,
            Function<NodeUpgrade, Integer> value) {
        update.bindArray(name, Integer.class, nodes.stream().map(value).toList());
    }

    private static void bindLongs(
            Update update,
            String name,
            Collection<NodeUpgrade> nodes,
            Function<NodeUpgrade, Long> value) {
        update.bindArray(name, Long.class, nodes.stream().map(value).toList());
    }
}
