package drover.coordinator.store.commit;

import drover.model.NodeId;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;

/**
 * Finds the nodes on which what a rollout installed is no longer the latest change of its program
 * (DESIGN § 4): another rollout installed something later that stands, or went back behind it.
 * Attempts of other programs and clears change nothing of it, and a change that was taken back does
 * not stand. A node whose machine was retired since is not found, because a rollback skips it. Of a
 * rollout whose history is pruned all nodes are: it was superseded when it went.
 */
public final class SupersededNodesSql {
    private SupersededNodesSql() {}

    public static Set<NodeId> findSupersededNodes(Handle handle, UUID rollout) {
        return handle
                .createQuery(
                        """
                        SELECT n.node_id FROM rollout_node n JOIN rollout r ON r.id = n.rollout_id
                        LEFT JOIN node_guard g ON g.node_id = n.node_id
                        WHERE n.rollout_id = :id AND n.installed_by <> 0
                          AND n.installed_by > coalesce(g.retired_attempt, 0) AND (r.pruned_at IS NOT NULL OR EXISTS (
                            SELECT 1 FROM node_attempt later JOIN rollout o ON o.id = later.rollout_id
                            WHERE later.node_id = n.node_id AND later.attempt > n.installed_by
                              AND o.id <> r.id AND o.binary_name = r.binary_name
                              AND (later.outcome = 'RESTORED' AND later.restore_of <> 0
                                      AND later.restore_of < n.installed_by
                                   OR later.outcome = 'SUCCEEDED' AND later.restore_of = 0
                                      AND NOT EXISTS (
                                          SELECT 1 FROM node_attempt undo
                                          JOIN rollout u ON u.id = undo.rollout_id
                                          WHERE undo.node_id = n.node_id
                                            AND undo.attempt > later.attempt
                                            AND undo.outcome = 'RESTORED'
                                            AND undo.restore_of > n.installed_by
                                            AND undo.restore_of <= later.attempt
                                            AND u.binary_name = r.binary_name))))
                        """)
                .bind("id", rollout)
                .mapTo(String.class)
                .stream()
                .map(NodeId::new)
                .collect(Collectors.toSet());
    }
}
