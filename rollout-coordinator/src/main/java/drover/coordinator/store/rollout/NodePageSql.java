package drover.coordinator.store.rollout;

import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.store.rollout.RolloutViews.LastAgentReport;
import drover.coordinator.store.rollout.RolloutViews.NodePage;
import drover.coordinator.store.rollout.RolloutViews.NodeWithReport;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** Reads one page of a rollout's nodes by the index of their order (keyset paging). */
final class NodePageSql {
    static final String PAGE =
            "SELECT n.*, a.report FROM rollout_node n"
                    + " LEFT JOIN node_attempt a ON a.node_id = n.node_id AND a.attempt = n.attempt"
                    + " WHERE n.rollout_id = :id"
                    + " AND (n.batch_index, n.node_id COLLATE \"C\") > (:batch, :after)"
                    + " ORDER BY n.batch_index, n.node_id COLLATE \"C\" LIMIT :limit";

    private final Handle handle;
    private final RolloutReadSql.RolloutTableRow rollout;

    NodePageSql(Handle handle, RolloutReadSql.RolloutTableRow rollout) {
        this.handle = handle;
        this.rollout = rollout;
    }

    NodePage read(String after, int limit) {
        Optional<Integer> batch = after.isEmpty() ? Optional.of(0) : findBatchIndex(after);
        return new NodePage(
                rollout.toRollout(RolloutReadSql.readBatches(handle, rollout.id()), Map.of()),
                batch.isPresent(),
                batch.map(first -> readNodes(first, after, limit)).orElse(List.of()));
    }

    private Optional<Integer> findBatchIndex(String node) {
        return handle.createQuery(
                        "SELECT batch_index FROM rollout_node"
                                + " WHERE rollout_id = :id AND node_id = :node")
                .bind("id", rolloutUuid())
                .bind("node", node)
                .mapTo(Integer.class)
                .findOne();
    }

    private List<NodeWithReport> readNodes(int batch, String after, int limit) {
        return handle.createQuery(PAGE)
                .bind("id", rolloutUuid())
                .bind("batch", batch)
                .bind("after", after)
                .bind("limit", limit)
                .map((row, context) -> readNodeRow(row))
                .list();
    }

    private static NodeWithReport readNodeRow(ResultSet row) throws SQLException {
        NodeUpgrade node = RolloutReadSql.readNode(row);
        byte[] report = row.getBytes("report");
        return new NodeWithReport(
                node,
                new LastAgentReport(
                        node.id().value(),
                        report == null ? new byte[0] : report,
                        row.getObject("updated_at", OffsetDateTime.class).toInstant()));
    }

    private UUID rolloutUuid() {
        return UUID.fromString(rollout.id().value());
    }
}
