package drover.coordinator.plan.model;

import java.util.Collection;

/**
 * How many nodes stand where. The five parts always add up to the total (invariant A10).
 *
 * @param failed failed, failed_rollback, unhealthy and unreachable
 * @param pending everything that is in none of the others
 */
public record NodeCounters(
        int total, int succeeded, int failed, int pending, int skipped, int rolledBack) {
    /** Counts. */
    public static NodeCounters of(Collection<NodeUpgrade> nodes) {
        int succeeded = 0;
        int failed = 0;
        int skipped = 0;
        int rolledBack = 0;
        for (NodeUpgrade node : nodes) {
            switch (node.state()) {
                case NodeState.Succeeded s -> succeeded++;
                case NodeState.Unhealthy u -> failed++;
                case NodeState.Failed f -> failed++;
                case NodeState.FailedRollback f -> failed++;
                case NodeState.Unreachable u -> failed++;
                case NodeState.Skipped s -> skipped++;
                case NodeState.RolledBack r -> rolledBack++;
                case NodeState.Pending p -> {}
                case NodeState.Held h -> {}
                case NodeState.Assigned a -> {}
                case NodeState.Upgrading u -> {}
                case NodeState.Settling s -> {}
                case NodeState.Observed o -> {}
                case NodeState.Restoring r -> {}
                case NodeState.Restored r -> {}
            }
        }
        int pending = nodes.size() - succeeded - failed - skipped - rolledBack;
        return new NodeCounters(nodes.size(), succeeded, failed, pending, skipped, rolledBack);
    }
}
