package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView.ProgramHealth;
import drover.coordinator.plan.step.TargetHealthConcerns;
import java.util.Comparator;
import java.util.Locale;
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

    /**
     * Whether a modified node counts as unhealthy. A node in flight does not: its own health gate
     * decides about it.
     *
     * @param reported whether its verdict or its gateway says that the program is unhealthy now
     */
    public static boolean isUnhealthy(NodeUpgrade node, boolean reported) {
        return node.state() instanceof NodeState.Unhealthy
                || (reported && !node.state().isInFlight());
    }

    /**
     * Whether a modified node is unhealthy now. Evaluators forget the nodes of an ended rollout,
     * and a new leader has no verdict yet; gateways report the health of every program at any time.
     */
    public static boolean isUnhealthy(RolloutSpec spec, FleetView fleet, NodeUpgrade node) {
        ProgramHealth health = fleet.node(node.id()).reportedHealth(spec.binary());
        boolean reported = health != null && health.isUnhealthy();
        return isUnhealthy(
                node,
                reported
                        || (node.state() instanceof NodeState.Succeeded succeeded
                                && TargetHealthConcerns.verdict(
                                                spec, fleet, node, succeeded.attempt())
                                        instanceof HealthVerdict.Unhealthy));
    }

    /** Order and health gate of a rollback, in one sentence. */
    public static String describe(Rollout rollout, FleetView fleet, RollbackHealthPolicy health) {
        long unhealthy =
                rollout.nodes().values().stream()
                        .filter(node -> node.installedBy() != 0)
                        .filter(node -> isUnhealthy(rollout.spec(), fleet, node))
                        .count();
        return "It restores unhealthy nodes first"
                + (fleet.isLeaderView() ? " (" + unhealthy + ")" : "")
                + ", then the newest batch; health gate: "
                + health.name().toLowerCase(Locale.ROOT)
                + ".";
    }
}
