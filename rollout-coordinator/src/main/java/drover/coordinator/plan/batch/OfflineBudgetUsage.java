package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.step.TargetHealthConcerns;

/** Nodes that count toward the offline budget. */
public final class OfflineBudgetUsage {
    private OfflineBudgetUsage() {}

    /** All of them: skipped, unreachable, and offline after they had succeeded. */
    public static int countUsed(Rollout rollout, FleetView fleet) {
        int offline =
                TargetHealthConcerns.of(rollout, fleet)
                        .concernsOfKinds(TargetHealthConcerns.Kind.OFFLINE)
                        .size();
        return countOfflineSkipsAndUnreachable(rollout) + offline;
    }

    static int countOfflineSkipsAndUnreachable(Rollout rollout) {
        long unreachable =
                rollout.nodes().values().stream()
                        .filter(node -> node.state() instanceof NodeState.Unreachable)
                        .count();
        return countOfflineSkips(rollout) + (int) unreachable;
    }

    /** Nodes that were skipped because they were not connected. */
    static int countOfflineSkips(Rollout rollout) {
        return (int)
                rollout.nodes().values().stream()
                        .filter(
                                node ->
                                        node.state() instanceof NodeState.Skipped skipped
                                                && skipped.reason() == SkipReason.OFFLINE)
                        .count();
    }
}
