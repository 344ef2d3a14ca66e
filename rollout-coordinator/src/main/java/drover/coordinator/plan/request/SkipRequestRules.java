package drover.coordinator.plan.request;

import static drover.model.RefusalCode.ALREADY;
import static drover.model.RefusalCode.NODE_IN_FLIGHT;
import static drover.model.RefusalCode.TOO_LATE;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.RolloutState.AwaitingApproval;
import drover.coordinator.plan.model.RolloutState.Cancelling;
import drover.coordinator.plan.model.RolloutState.Paused;
import drover.coordinator.plan.model.RolloutState.Pending;
import drover.coordinator.plan.model.RolloutState.RollingBack;
import drover.coordinator.plan.model.RolloutState.Running;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Decides requests to leave nodes of a rollout alone: all that are meant, or none. */
final class SkipRequestRules {
    private static final String DETAIL = "An operator skipped it.";

    private SkipRequestRules() {}

    /** Those that are named, in whatever state they are, as long as nothing is under way. */
    static RequestDecision skip(RequestDecisionDraft draft, List<NodeId> named) {
        List<NodeUpgrade> nodes = new ArrayList<>();
        for (NodeId id : named) {
            NodeUpgrade node = draft.rollout.nodes().get(id);
            if (node == null) {
                return RetryRequestRules.notInRolloutRefusal(draft, id);
            }
            nodes.add(node);
        }
        return decide(draft, nodes);
    }

    /**
     * Those that failed, are unreachable or are held (issue 4). A rollback waits for none of them
     * and brings back also what was skipped; giving up unseen what it could not bring back would
     * let it end as rolled back (invariant A13), so such a node is named.
     */
    static RequestDecision skipBlockingNodes(RequestDecisionDraft draft) {
        if (RetryRequestRules.isRollingBack(draft.state())) {
            return draft.refuse(
                    TOO_LATE, "A rollback waits for no node that failed; name the nodes to skip.");
        }
        return decide(
                draft,
                draft.rollout.nodes().values().stream()
                        .filter(
                                node ->
                                        node.state().isFailure()
                                                || node.state() instanceof NodeState.Held)
                        .toList());
    }

    private static RequestDecision decide(RequestDecisionDraft draft, List<NodeUpgrade> nodes) {
        return switch (draft.state()) {
            case Pending pending -> skip(draft, nodes, pending);
            case Running running -> skip(draft, nodes, running);
            case AwaitingApproval waiting ->
                    skip(draft, nodes, waiting.restartObservation(draft.now));
            case Paused paused -> skip(draft, nodes, paused.restartObservation(draft.now));
            case Cancelling c -> OperatorRequestRules.tooLateRefusal(draft);
            case RollingBack rollingBack -> skip(draft, nodes, rollingBack);
            case RolloutState.Ended ended -> OperatorRequestRules.endedRefusal(draft);
        };
    }

    private static RequestDecision skip(
            RequestDecisionDraft draft, List<NodeUpgrade> nodes, RolloutState next) {
        if (nodes.isEmpty()) {
            return draft.refuse(
                    ALREADY,
                    "No node has failed, is unreachable or is held; there is nothing to skip.");
        }
        for (NodeUpgrade node : nodes) {
            Optional<RequestDecision> refusal = skip(draft, node);
            if (refusal.isPresent()) {
                return refusal.get(); // and the draft is forgotten: none is skipped
            }
        }
        return RetryRequestRules.applyOrRestartObservation(draft, next);
    }

    /** Moves one node, or says why not. */
    private static Optional<RequestDecision> skip(RequestDecisionDraft draft, NodeUpgrade node) {
        if (node.state().isInFlight()) {
            return Optional.of(
                    draft.refuse(
                            NODE_IN_FLIGHT,
                            "Node "
                                    + node.id()
                                    + " has work under way; wait until it is decided."));
        }
        NodeState skipped =
                switch (node.state()) {
                    case NodeState.Pending pending ->
                            pending.skip(SkipReason.OPERATOR, DETAIL, draft.now);
                    case NodeState.Held held -> held.skip(SkipReason.OPERATOR, DETAIL, draft.now);
                    case NodeState.Failed failed -> failed.skip(DETAIL, draft.now);
                    case NodeState.Unhealthy unhealthy -> unhealthy.skip(DETAIL, draft.now);
                    case NodeState.Unreachable unreachable -> unreachable.skip(DETAIL, draft.now);
                    case NodeState.FailedRollback failed -> failed.skip(DETAIL, draft.now);
                    default -> node.state();
                };
        if (skipped.equals(node.state())) {
            return Optional.of(
                    draft.refuse(
                            ALREADY,
                            "Node "
                                    + node.id()
                                    + " is "
                                    + StateNameFormatter.of(node.state())
                                    + " already."));
        }
        draft.moveNode(node, skipped, SkipReason.OPERATOR.name(), DETAIL);
        draft.invalidateApprovalIfGiven(node);
        return Optional.empty();
    }
}
