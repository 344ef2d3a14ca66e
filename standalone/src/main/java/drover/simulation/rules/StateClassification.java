package drover.simulation.rules;

import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.plan.group.GroupState;
import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.model.RolloutId;
import java.util.stream.Stream;

/**
 * Classification of states, strategies and thresholds for the checks. Written a second time on
 * purpose: a check that called the planner would repeat the planner's mistakes.
 */
public final class StateClassification {
    private StateClassification() {}

    /** Whether work has been dispatched and is not decided. */
    public static boolean isInFlight(NodeUpgrade node) {
        return switch (node.state()) {
            case NodeState.Assigned _, NodeState.Upgrading _ -> true;
            case NodeState.Settling _, NodeState.Observed _ -> true;
            case NodeState.Restoring _, NodeState.Restored _ -> true;
            case NodeState.Pending _, NodeState.Held _, NodeState.Skipped _ -> false;
            case NodeState.Succeeded _, NodeState.Unhealthy _, NodeState.RolledBack _ -> false;
            case NodeState.Failed _, NodeState.FailedRollback _, NodeState.Unreachable _ -> false;
        };
    }

    /** Whether it counts against the threshold. */
    static boolean isFailure(NodeUpgrade node) {
        return switch (node.state()) {
            case NodeState.Failed _, NodeState.FailedRollback _ -> true;
            case NodeState.Unhealthy _, NodeState.Unreachable _ -> true;
            case NodeState.Pending _, NodeState.Held _, NodeState.Skipped _ -> false;
            case NodeState.Assigned _, NodeState.Upgrading _, NodeState.Settling _ -> false;
            case NodeState.Observed _, NodeState.Restoring _, NodeState.Restored _ -> false;
            case NodeState.Succeeded _, NodeState.RolledBack _ -> false;
        };
    }

    /** Whether a rollback started to restore it, and not its own health gate. */
    static boolean isBeingRestoredByRollback(NodeUpgrade node) {
        return node.state() instanceof NodeState.Restoring restoring
                && restoring.purpose() == NodeState.RestorePurpose.ROLLBACK
                && restoring.cause().code().equals("ROLLBACK");
    }

    /** Whether the rollout has ended. */
    static boolean hasEnded(Rollout rollout) {
        return hasEnded(rollout.state());
    }

    /** Whether a rollout in this state has ended. */
    public static boolean hasEnded(RolloutState state) {
        return switch (state) {
            case RolloutState.Completed _, RolloutState.Failed _ -> true;
            case RolloutState.Cancelled _, RolloutState.RolledBack _ -> true;
            case RolloutState.Pending _, RolloutState.Running _, RolloutState.Paused _ -> false;
            case RolloutState.AwaitingApproval _, RolloutState.Cancelling _ -> false;
            case RolloutState.RollingBack _ -> false;
        };
    }

    /** Whether a group in this state has ended. */
    static boolean hasEnded(GroupState state) {
        return switch (state) {
            case GroupState.Completed _, GroupState.Partial _, GroupState.Failed _ -> true;
            case GroupState.Cancelled _, GroupState.RolledBack _ -> true;
            case GroupState.Pending _, GroupState.Running _, GroupState.Paused _ -> false;
            case GroupState.Cancelling _, GroupState.RollingBack _ -> false;
        };
    }

    /** Whether the rollout is a component of a group. */
    static boolean isInGroup(Rollout rollout) {
        return !rollout.spec().membership().group().isEmpty();
    }

    /** Nodes of one batch. */
    static Stream<NodeUpgrade> inBatch(Rollout rollout, int batch) {
        return rollout.nodes().values().stream().filter(node -> node.batch() == batch);
    }

    /** Declared number of nodes in an ordinary batch. */
    static int batchSize(Strategy strategy) {
        return switch (strategy) {
            case Strategy.Rolling(int size) -> size;
            case Strategy.Canary(int _, int size) -> size;
            case Strategy.Progressive(int size) -> size;
            case Strategy.AllAtOnce(int size, boolean _, boolean _) -> size;
        };
    }

    /** Whether a node counts as succeeded without a health verdict. */
    static boolean skipsValidation(Strategy strategy) {
        return strategy instanceof Strategy.AllAtOnce all && all.skipValidation();
    }

    /** A6: whether more nodes failed than are tolerated, without rounding. */
    static boolean exceeds(Threshold threshold, long failed, long attempted) {
        return switch (threshold) {
            case Threshold.Count(int tolerated) -> failed > tolerated;
            case Threshold.Percent(int tolerated) -> 100 * failed > tolerated * attempted;
        };
    }

    /** Whether a late request of a group is dropped because it could surprise the operator. */
    static boolean isDroppedWhenLate(GroupRequest request) {
        return request instanceof GroupRequest.Start
                || request instanceof GroupRequest.Resume
                || request instanceof GroupRequest.Skip;
    }

    /** Whether an incident of this category ends when agents and gateways no longer report it. */
    static boolean endsWhenNotReported(IncidentCategory category) {
        return switch (category) {
            case CRASH_LOOP, DRIFT, COMMAND_REJECTED, AGENT_DISK_FAULT -> true;
            case IDENTITY_CLONED, IDENTITY_MISMATCH -> true;
            default -> false;
        };
    }

    /** Actor that a group is for its components. */
    static String actorOf(String group) {
        return "group:" + group;
    }

    /** Id of the owner of the chain: the group of a component, otherwise the rollout. */
    static String chainOwner(Rollout rollout) {
        RolloutId own = rollout.id();
        return isInGroup(rollout) ? rollout.spec().membership().group() : own.value();
    }
}
