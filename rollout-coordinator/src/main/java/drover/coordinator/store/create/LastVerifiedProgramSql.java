package drover.coordinator.store.create;

import drover.coordinator.plan.create.InventoryBehindAttemptsCheck.VerifiedProgram;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.store.sql.StateJson;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.program.BinaryName;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * Finds what nodes were last proven to run of a program: by the latest attempt that began. One that
 * was refused or withdrawn changes nothing of it; one that is open, lost or ended in a failed way
 * back leaves nothing proven. One that failed proves what ran before it, also where it had
 * succeeded and was taken back on the node itself (invariant D17); the moment is that of its latest
 * end.
 */
final class LastVerifiedProgramSql {
    private LastVerifiedProgramSql() {}

    static Map<NodeId, VerifiedProgram> findVerifiedByLastAttempt(
            Handle handle, BinaryName program, Collection<NodeId> nodes) {
        return handle
                .createQuery(
                        """
                        SELECT u.node, a.outcome, a.proven_at, n.running_checksum, n.target::text AS target
                        FROM unnest(:nodes::text[]) AS u(node)
                        CROSS JOIN LATERAL (
                            SELECT t.attempt, t.rollout_id, t.outcome,
                              greatest(t.closed_at, t.last_ended_at) AS proven_at
                            FROM node_attempt t JOIN rollout r ON r.id = t.rollout_id
                            WHERE t.node_id = u.node AND r.binary_name = :program
                              AND t.outcome NOT IN ('REFUSED', 'WITHDRAWN')
                            ORDER BY t.attempt DESC LIMIT 1) AS a
                        JOIN rollout_node n ON n.rollout_id = a.rollout_id
                          AND n.node_id = u.node AND n.attempt = a.attempt
                        WHERE a.outcome IN ('SUCCEEDED', 'RESTORED', 'FAILED')
                          AND (a.outcome <> 'SUCCEEDED' OR n.running_checksum <> '')
                          AND a.proven_at IS NOT NULL AND n.status <> 'failed_rollback'
                        """)
                .bindArray("nodes", String.class, nodes.stream().map(NodeId::value).toList())
                .bind("program", program.value())
                .map(
                        (row, context) ->
                                Map.entry(new NodeId(row.getString("node")), readVerified(row)))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /**
     * What ran before is what was frozen: a status that comes after the rollout has ended says
     * nothing of digests to its node's row.
     */
    private static VerifiedProgram readVerified(ResultSet row) throws SQLException {
        NodeTarget target = StateJson.readNodeTarget(row.getString("target"));
        boolean upgraded = row.getString("outcome").equals(AttemptOutcome.SUCCEEDED.name());
        return new VerifiedProgram(
                upgraded ? row.getString("running_checksum") : target.sourceDigest().value(),
                (upgraded ? target.targetConfig() : target.sourceConfig()).value(),
                row.getObject("proven_at", OffsetDateTime.class).toInstant());
    }
}
