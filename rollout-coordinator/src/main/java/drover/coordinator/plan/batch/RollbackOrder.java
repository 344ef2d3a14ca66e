package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.NodeUpgrade;
import java.util.Comparator;
import java.util.function.Predicate;

/**
 * Order in which a rollback restores nodes: unhealthy ones first, then the newest batch first, then
 * the order of the rollout (A13, A23).
 */
public final class RollbackOrder {
    private RollbackOrder() {}

    /**
     * Compares nodes by this order.
     *
     * @param unhealthy whether a node is unhealthy now
     */
    public static Comparator<NodeUpgrade> comparator(Predicate<NodeUpgrade> unhealthy) {
        return Comparator.comparing((NodeUpgrade node) -> !unhealthy.test(node))
                .thenComparing(Comparator.comparingInt(NodeUpgrade::batch).reversed())
                .thenComparing(NodeUpgrade.ORDER);
    }
}
