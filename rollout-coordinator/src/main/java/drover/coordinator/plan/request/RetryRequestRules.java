package drover.coordinator.plan.request;

import static drover.model.RefusalCode.NODE_FAILED_ROLLBACK;
import static drover.model.RefusalCode.NODE_IN_FLIGHT;
import static drover.model.RefusalCode.NODE_NOT_FAILED;
import static drover.model.RefusalCode.NODE_NOT_IN_ROLLOUT;
import static drover.model.RefusalCode.NOT_STARTED;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.RolloutState.AwaitingApproval;
import drover.coordinator.plan.model.RolloutState.Cancelling;
import drover.coordinator.plan.model.RolloutState.Paused;
import drover.coordinator.plan.model.RolloutState.Pending;
import drover.coordinator.plan.model.RolloutState.RollingBack;
import drover.coordinator.plan.model.RolloutState.Running;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.model.NodeId;

/** Decides requests to try a node of a rollout again; what all requests about nodes share. */
final class RetryRequestRules {
    private RetryRequestRules() {}

    static RequestDecision retry(RequestDecisionDraft draft, NodeId id) {
        NodeUpgrade node = draft.rollout.nodes().get(id);
        if (node == null) {
            return notInRolloutRefusal(draft, id);
        }
        return switch (draft.state()) {
            case Pending p -> draft.refuse(NOT_STARTED, "The rollout has not started.");
            case Running running -> retry(draft, node, running);
            case AwaitingApproval waiting ->
                    retry(draft, node, waiting.restartObservation(draft.now));
            case Paused paused -> retry(draft, node, paused.restartObservation(draft.now));
            case Cancelling c -> OperatorRequestRules.tooLateRefusal(draft);
            case RollingBack rollingBack -> retry(draft, node, rollingBack);
            case RolloutState.Ended ended -> OperatorRequestRules.endedRefusal(draft);
        };
    }

    private static RequestDecision retry(
            RequestDecisionDraft draft, NodeUpgrade node, RolloutState next) {
        if (node.open() || node.state().isInFlight()) {
            return draft.refuse(
                    NODE_IN_FLIGHT,
                    "Node " + node.id() + " has work open; wait until its agent is heard.");
        }
        boolean marked = draft.fleet.reservation(node.id()).failedRollback();
        if (marked && node.state() instanceof NodeState.FailedRollback) {
            return draft.refuse(
                    NODE_FAILED_ROLLBACK,
                    "Node "
                            + node.id()
                            + " could not be restored: repair it and clear it with 'drover node"
                            + " clear "
                            + node.id()
                            + " --reason TEXT', then retry it again.");
        }
        NodeState pending =
                switch (node.state()) {
                    case NodeState.FailedRollback cleared -> cleared.retry(draft.now);
                    case NodeState.Failed failed -> failed.retry(draft.now);
                    case NodeState.Unhealthy unhealthy -> unhealthy.retry(draft.now);
                    case NodeState.Unreachable unreachable -> unreachable.retry(draft.now);
                    case NodeState.Skipped skipped -> skipped.retry(draft.now);
                    default -> node.state();
                };
        if (pending.equals(node.state())) {
            return draft.refuse(
                    NODE_NOT_FAILED,
                    "Node "
                            + node.id()
                            + " is "
                            + StateNameFormatter.of(node.state())
                            + "; only failed, unhealthy, unreachable and skipped nodes can be retried.");
        }
        if (isRollingBack(next)) {
            return draft.toApplied(next); // the rollback restores it as soon as it can
        }
        draft.moveNode(
                node.withBatch(draft.findOrAppendBatch()),
                pending,
                "RETRY",
                "An operator wants it tried again.");
        return applyOrRestartObservation(draft, next);
    }

    /**
     * Where approval was awaited, the canary is not what was proven any more: it is judged anew.
     */
    static RequestDecision applyOrRestartObservation(
            RequestDecisionDraft draft, RolloutState next) {
        if (draft.state() instanceof AwaitingApproval) {
            return draft.moveRollout(
                    next, "OBSERVED_ANEW", "The canary has changed and is observed anew.");
        }
        return draft.toApplied(next);
    }

    static boolean isRollingBack(RolloutState state) {
        return state instanceof RollingBack
                || (state instanceof Paused paused && paused.from() instanceof RollingBack);
    }

    static RequestDecision notInRolloutRefusal(RequestDecisionDraft draft, NodeId id) {
        return draft.refuse(NODE_NOT_IN_ROLLOUT, "Node " + id + " is no target of this rollout.");
    }
}
