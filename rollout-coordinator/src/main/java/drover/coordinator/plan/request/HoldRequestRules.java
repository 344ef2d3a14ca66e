package drover.coordinator.plan.request;

import static drover.model.RefusalCode.NODE_IN_FLIGHT;
import static drover.model.RefusalCode.NODE_NOT_HELD;
import static drover.model.RefusalCode.NODE_NOT_PENDING;

import drover.coordinator.plan.model.BatchPhase;
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
import java.time.Instant;
import java.util.Optional;

/** Decides requests to hold a node of a rollout, and to let it go. */
final class HoldRequestRules {
    private HoldRequestRules() {}

    static RequestDecision hold(
            RequestDecisionDraft draft, NodeId id, String reason, Instant until) {
        NodeUpgrade node = draft.rollout.nodes().get(id);
        if (node == null) {
            return RetryRequestRules.notInRolloutRefusal(draft, id);
        }
        return findRefusal(draft).orElseGet(() -> hold(draft, node, reason, until));
    }

    static RequestDecision release(RequestDecisionDraft draft, NodeId id) {
        NodeUpgrade node = draft.rollout.nodes().get(id);
        if (node == null) {
            return RetryRequestRules.notInRolloutRefusal(draft, id);
        }
        return findRefusal(draft).orElseGet(() -> release(draft, node));
    }

    /** Only while nodes still have their turn can one be kept from it. */
    private static Optional<RequestDecision> findRefusal(RequestDecisionDraft draft) {
        return switch (draft.state()) {
            case Pending p -> Optional.empty();
            case Running r -> Optional.empty();
            case AwaitingApproval a -> Optional.empty();
            case Paused paused ->
                    RetryRequestRules.isRollingBack(paused)
                            ? Optional.of(OperatorRequestRules.tooLateRefusal(draft))
                            : Optional.empty();
            case Cancelling c -> Optional.of(OperatorRequestRules.tooLateRefusal(draft));
            case RollingBack r -> Optional.of(OperatorRequestRules.tooLateRefusal(draft));
            case RolloutState.Ended ended -> Optional.of(OperatorRequestRules.endedRefusal(draft));
        };
    }

    private static RequestDecision hold(
            RequestDecisionDraft draft, NodeUpgrade node, String reason, Instant until) {
        if (node.state().isInFlight()) {
            return draft.refuse(
                    NODE_IN_FLIGHT,
                    "Node " + node.id() + " has work under way; wait until it is decided.");
        }
        NodeState held =
                switch (node.state()) {
                    case NodeState.Pending pending -> pending.hold(reason, until, draft.now);
                    case NodeState.Held earlier -> earlier.replaceHold(reason, until);
                    default -> node.state();
                };
        if (!(held instanceof NodeState.Held)) {
            return draft.refuse(
                    NODE_NOT_PENDING,
                    "Node "
                            + node.id()
                            + " is "
                            + StateNameFormatter.of(node.state())
                            + "; only a node whose turn has not come can be held.");
        }
        draft.moveNode(node, held, "HELD", "An operator holds it until " + until + ".");
        return draft.toApplied(draft.state());
    }

    private static RequestDecision release(RequestDecisionDraft draft, NodeUpgrade node) {
        if (!(node.state() instanceof NodeState.Held held)) {
            return draft.refuse(
                    NODE_NOT_HELD,
                    "Node "
                            + node.id()
                            + " is "
                            + StateNameFormatter.of(node.state())
                            + ", nobody holds it.");
        }
        boolean passed = draft.rollout.batches().get(node.batch()).phase() == BatchPhase.PROMOTED;
        draft.moveNode(
                passed ? node.withBatch(draft.findOrAppendBatch()) : node,
                held.release(draft.now),
                "RELEASED",
                "An operator let it go; its turn comes.");
        return draft.toApplied(draft.state());
    }
}
