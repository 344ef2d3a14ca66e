package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.step.TargetHealth;

/** Nodes that count toward the offline budget. */
public final class OfflineSkips {
    private OfflineSkips() {}

    /** All of them: skipped, unreachable, and offline after they had succeeded. */
    public static int countAll(Rollout rollout, FleetView fleet) {
        int offline = TargetHealth.of(rollout, fleet).of(TargetHealth.Kind.OFFLINE).size();
        return countSkippedOrUnreachable(rollout) + offline;
    }

    static int countSkippedOrUnreachable(Rollout rollout) {
        long unreachable =
                rollout.nodes().values().stream()
                        .filter(node -> node.state() instanceof NodeState.Unreachable)
                        .count();
        return countSkipped(rollout) + (int) unreachable;
    }

    /** Nodes that were skipped because they were not connected. */
    static int countSkipped(Rollout rollout) {
        return (int)
                rollout.nodes().values().stream()
                        .filter(
                                node ->
                                        node.state() instanceof NodeState.Skipped skipped
                                                && skipped.reason() == SkipReason.OFFLINE)
                        .count();
    }
}
