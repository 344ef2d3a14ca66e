package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.step.StepDraft;
import drover.coordinator.plan.step.TargetHealthConcerns;
import drover.coordinator.plan.step.TargetHealthConcerns.Concern;
import drover.coordinator.plan.step.TargetHealthConcerns.Kind;
import java.time.Instant;
import java.util.List;

/** Nodes that count toward the offline budget. */
public final class OfflineBudgetUsageCounter {
    private OfflineBudgetUsageCounter() {}

    /**
     * All of them: skipped, unreachable, offline after they had succeeded, and other targets
     * without health data.
     */
    public static int countUsed(Rollout rollout, FleetView fleet, Instant now) {
        return countOfflineSkipsAndUnreachable(rollout)
                + findOfflineOrWithoutData(TargetHealthConcerns.of(rollout, fleet), now).size();
    }

    /**
     * Nodes that succeeded and are offline, and other targets without health data.
     *
     * @param now {@link Instant#MAX} includes targets whose first heartbeat is awaited
     */
    static List<Concern> findOfflineOrWithoutData(TargetHealthConcerns health, Instant now) {
        return health.concernsOfKinds(Kind.OFFLINE, Kind.UNDETERMINED).stream()
                .filter(
                        concern ->
                                concern.kind() == Kind.OFFLINE
                                        || !now.isBefore(concern.firstHeartbeatDeadline()))
                .filter(concern -> !isOfflineSkip(concern.node())) // counted already
                .toList();
    }

    /**
     * An operator accepted the nodes that were offline then. Once one of them returns, the next one
     * that goes offline is not covered (A7). A node that no gateway has answered for has not
     * returned.
     */
    public static void lowerAccepted(StepDraft draft) {
        if (draft.rollout().acceptedOffline() == 0 || draft.fleet.completeViewSince() == null) {
            return; // without fleet visibility, a missing report is no return (R3)
        }
        long unreturned =
                draft.targetHealthConcerns().concerns().stream()
                        .filter(concern -> !isOfflineSkip(concern.node()))
                        .filter(concern -> mayHaveNotReturned(draft, concern))
                        .count();
        long used = countOfflineSkipsAndUnreachable(draft.rollout()) + unreturned;
        if (used < draft.rollout().acceptedOffline()) {
            draft.acceptOffline((int) used);
        }
    }

    private static boolean mayHaveNotReturned(StepDraft draft, Concern concern) {
        return switch (concern.kind()) {
            case OFFLINE, UNDETERMINED -> true;
            case NO_DATA -> draft.fleet.node(concern.node().id()) instanceof NodeView.Unknown;
            case RECOVERING, UNHEALTHY -> false;
        };
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
                        .filter(OfflineBudgetUsageCounter::isOfflineSkip)
                        .count();
    }

    private static boolean isOfflineSkip(NodeUpgrade node) {
        return node.state() instanceof NodeState.Skipped skipped
                && skipped.reason() == SkipReason.OFFLINE;
    }
}
