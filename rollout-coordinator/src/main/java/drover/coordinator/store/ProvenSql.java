package drover.coordinator.store;

import drover.coordinator.plan.NodeTarget;
import drover.coordinator.plan.StaleDirectory.Proven;
import drover.model.AttemptOutcome;
import drover.model.BinaryName;
import drover.model.NodeId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * Finds what nodes were last proven to run of a program: by the latest attempt that changed it.
 * Attempts that left a node as it was change nothing of it; one that is open, lost or ended in a
 * failed way back leaves nothing proven.
 */
final class ProvenSql {
    private ProvenSql() {}

    static Map<NodeId, Proven> of(Handle handle, BinaryName program, Collection<NodeId> nodes) {
        return handle
                .createQuery(
                        """
                        SELECT u.node, a.outcome, a.closed_at, n.running_checksum, n.target::text AS target
                        FROM unnest(:nodes::text[]) AS u(node)
                        CROSS JOIN LATERAL (
                            SELECT t.attempt, t.rollout_id, t.outcome, t.closed_at
                            FROM node_attempt t JOIN rollout r ON r.id = t.rollout_id
                            WHERE t.node_id = u.node AND r.binary_name = :program
                              AND t.outcome NOT IN ('FAILED', 'REFUSED', 'WITHDRAWN')
                            ORDER BY t.attempt DESC LIMIT 1) AS a
                        JOIN rollout_node n ON n.rollout_id = a.rollout_id
                          AND n.node_id = u.node AND n.attempt = a.attempt
                        WHERE a.outcome IN ('SUCCEEDED', 'RESTORED') AND a.closed_at IS NOT NULL
                          AND n.running_checksum <> ''
                        """)
                .bindArray("nodes", String.class, nodes.stream().map(NodeId::value).toList())
                .bind("program", program.value())
                .map((row, context) -> Map.entry(new NodeId(row.getString("node")), proven(row)))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static Proven proven(ResultSet row) throws SQLException {
        NodeTarget target = StateJson.target(row.getString("target"));
        boolean restored = row.getString("outcome").equals(AttemptOutcome.RESTORED.name());
        return new Proven(
                row.getString("running_checksum"),
                (restored ? target.sourceConfig() : target.targetConfig()).value(),
                row.getObject("closed_at", OffsetDateTime.class).toInstant());
    }
}
