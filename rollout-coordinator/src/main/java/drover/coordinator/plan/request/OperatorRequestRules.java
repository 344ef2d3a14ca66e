package drover.coordinator.plan.request;

import static drover.model.RefusalCode.ALREADY;
import static drover.model.RefusalCode.FINAL;
import static drover.model.RefusalCode.NOT_AWAITING;
import static drover.model.RefusalCode.NOT_STARTED;
import static drover.model.RefusalCode.RESUME_FIRST;
import static drover.model.RefusalCode.TARGETS_UNHEALTHY;
import static drover.model.RefusalCode.TOO_LATE;
import static drover.model.RefusalCode.USE_APPROVE;
import static drover.model.RefusalCode.USE_PAUSE;
import static drover.model.RefusalCode.USE_RESUME;
import static drover.model.RefusalCode.WRITTEN_BY_LATER_VERSION;

import drover.coordinator.plan.batch.UnhealthyBudget;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.RolloutState.AwaitingApproval;
import drover.coordinator.plan.model.RolloutState.Cancelling;
import drover.coordinator.plan.model.RolloutState.Paused;
import drover.coordinator.plan.model.RolloutState.Pending;
import drover.coordinator.plan.model.RolloutState.RollingBack;
import drover.coordinator.plan.model.RolloutState.Running;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.NodeView;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.List;

/**
 * Decides what becomes of a request, for every state (DESIGN: the table of states and requests; a
 * test goes over every cell). Pure: same arguments, same answer.
 */
public final class OperatorRequestRules {
    /** Code of the transition by which a rollout is forced. */
    public static final String FORCED = "FORCED";

    /** Code of the transition by which a canary is approved. */
    public static final String APPROVED = "APPROVED";

    private OperatorRequestRules() {}

    /** A request, who asks, and why. */
    public record SubmittedRequest(OperatorRequest request, String actor, String reason) {}

    /**
     * Whether a request should be decided later, because the health of targets is not known yet: no
     * gateway has answered for them, as in the first moments after creation or after a change of
     * leader.
     */
    public static boolean shouldDeferStart(
            Rollout rollout, OperatorRequest request, FleetView fleet) {
        return request instanceof OperatorRequest.Start
                && rollout.state() instanceof RolloutState.Pending
                && rollout.nodes().keySet().stream()
                        .anyMatch(node -> fleet.node(node) instanceof NodeView.Unknown);
    }

    /** Decides one request. */
    public static RequestDecision decide(
            Rollout rollout, SubmittedRequest requested, FleetView fleet, Instant now) {
        RequestDecisionDraft draft =
                new RequestDecisionDraft(rollout, fleet, requested.reason(), now);
        RequestDecision decision = decide(draft, requested.request(), requested.reason());
        return decision instanceof RequestDecision.Applied
                ? TwoPersonRule.findRefusal(rollout, requested.request(), requested.actor())
                        .map(RequestDecision.class::cast)
                        .orElse(decision)
                : decision;
    }

    private static RequestDecision decide(
            RequestDecisionDraft draft, OperatorRequest request, String reason) {
        return switch (request) {
            case OperatorRequest.Start start -> start(draft);
            case OperatorRequest.Pause pause -> pause(draft);
            case OperatorRequest.Resume(int acknowledged) ->
                    ResumeRequestRules.resume(draft, acknowledged);
            case OperatorRequest.Cancel cancel -> cancel(draft);
            case OperatorRequest.Approve(String evidence) -> approve(draft, evidence);
            case OperatorRequest.Force force -> force(draft);
            case OperatorRequest.Rollback(var health) ->
                    RollbackRequestRules.rollback(draft, health);
            case OperatorRequest.RetryNode(var node) -> RetryRequestRules.retry(draft, node);
            case OperatorRequest.SkipNode(var node) -> SkipRequestRules.skip(draft, List.of(node));
            case OperatorRequest.SkipNodes(var nodes) ->
                    nodes.isEmpty()
                            ? SkipRequestRules.skipBlockingNodes(draft)
                            : SkipRequestRules.skip(draft, nodes);
            case OperatorRequest.HoldNode(var node, var until) ->
                    HoldRequestRules.hold(draft, node, reason, until);
            case OperatorRequest.ReleaseNode(var node) -> HoldRequestRules.release(draft, node);
            case OperatorRequest.Unknown(String kind) ->
                    draft.refuse(
                            WRITTEN_BY_LATER_VERSION,
                            "A later version took the request '"
                                    + kind
                                    + "', which the leader does not know; upgrade the coordinators,"
                                    + " then ask again.");
        };
    }

    private static RequestDecision start(RequestDecisionDraft draft) {
        return switch (draft.state()) {
            case Pending pending ->
                    UnhealthyBudget.findExceededCause(draft.rollout, draft.fleet)
                            .map(cause -> draft.refuse(TARGETS_UNHEALTHY, cause.sentence()))
                            .orElseGet(
                                    () ->
                                            draft.moveRollout(
                                                    pending.start(draft.now),
                                                    "STARTED",
                                                    "An operator started it."));
            case Running r -> draft.refuse(ALREADY, "The rollout is running already.");
            case AwaitingApproval a ->
                    draft.refuse(ALREADY, "The rollout has started and awaits approval.");
            case Paused p -> draft.refuse(USE_RESUME, "The rollout is paused; resume it.");
            case Cancelling c -> tooLateRefusal(draft);
            case RollingBack r -> tooLateRefusal(draft);
            case RolloutState.Ended ended -> endedRefusal(draft);
        };
    }

    private static RequestDecision pause(RequestDecisionDraft draft) {
        return switch (draft.state()) {
            case Pending p ->
                    draft.refuse(
                            NOT_STARTED, "The rollout has not started; there is nothing to pause.");
            case RolloutState.Pausable resumable ->
                    draft.moveRollout(
                            resumable.pause(PauseReason.OPERATOR, draft.now),
                            PauseReason.OPERATOR.name(),
                            "An operator paused it.");
            case Paused p -> draft.refuse(ALREADY, "The rollout is paused already.");
            case Cancelling c -> tooLateRefusal(draft);
            case RolloutState.Ended ended -> endedRefusal(draft);
        };
    }

    private static RequestDecision cancel(RequestDecisionDraft draft) {
        String sentence = "An operator cancelled it.";
        return switch (draft.state()) {
            case Pending pending ->
                    draft.moveRollout(pending.cancel(draft.now), "CANCELLED", sentence);
            case Running running ->
                    draft.moveRollout(running.cancel(draft.now), "CANCELLED", sentence);
            case AwaitingApproval waiting ->
                    draft.moveRollout(waiting.cancel(draft.now), "CANCELLED", sentence);
            case Paused paused ->
                    paused.from() instanceof RollingBack
                            ? tooLateRefusal(draft)
                            : draft.moveRollout(paused.cancel(draft.now), "CANCELLED", sentence);
            case Cancelling c -> draft.refuse(ALREADY, "The rollout is being cancelled already.");
            case RollingBack r ->
                    draft.refuse(USE_PAUSE, "The rollout is rolling back; pause it instead.");
            case RolloutState.Ended ended -> endedRefusal(draft);
        };
    }

    private static RequestDecision approve(RequestDecisionDraft draft, String evidence) {
        return switch (draft.state()) {
            case Pending p -> notAwaitingRefusal(draft);
            case Running r -> notAwaitingRefusal(draft);
            case AwaitingApproval waiting -> draft.approve(waiting, evidence);
            case Paused paused ->
                    paused.from() instanceof RollingBack
                            ? tooLateRefusal(draft)
                            : draft.refuse(
                                    RESUME_FIRST,
                                    "The rollout is paused; resume it before approving.");
            case Cancelling c -> tooLateRefusal(draft);
            case RollingBack r -> tooLateRefusal(draft);
            case RolloutState.Ended ended -> endedRefusal(draft);
        };
    }

    /**
     * Never a way around an approval (invariant A9), and never out of a pause for other reasons.
     */
    private static RequestDecision force(RequestDecisionDraft draft) {
        return switch (draft.state()) {
            case Pending p -> draft.refuse(NOT_STARTED, "The rollout has not started; start it.");
            case Running running -> force(draft, running);
            case AwaitingApproval a ->
                    draft.refuse(USE_APPROVE, "The rollout awaits approval; approve the canary.");
            case Paused paused ->
                    switch (paused.from()) {
                        case Running r -> force(draft, stateAfterForce(draft, paused));
                        case AwaitingApproval a ->
                                draft.refuse(
                                        RESUME_FIRST,
                                        "The rollout is paused before its approval; resume it and"
                                                + " approve the canary.");
                        case RollingBack r -> tooLateRefusal(draft);
                    };
            case Cancelling c -> tooLateRefusal(draft);
            case RollingBack r -> tooLateRefusal(draft);
            case RolloutState.Ended ended -> endedRefusal(draft);
        };
    }

    private static RequestDecision force(RequestDecisionDraft draft, RolloutState next) {
        if (draft.rollout.ignoresFailures()) {
            return draft.refuse(
                    ALREADY,
                    "The rollout goes on whatever fails already; resume it if it is paused.");
        }
        draft.markForced();
        return draft.moveRollout(
                next,
                FORCED,
                "An operator overrode the failure threshold: failures do not pause it.");
    }

    /** A pause that failures caused is what was overridden; one for another reason stays. */
    private static RolloutState stateAfterForce(RequestDecisionDraft draft, Paused paused) {
        return paused.reason().isAboutFailures() ? paused.resume(draft.now) : paused;
    }

    static RequestDecision tooLateRefusal(RequestDecisionDraft draft) {
        return draft.refuse(
                TOO_LATE,
                "The rollout is "
                        + StateNameFormatter.of(draft.state())
                        + "; it is too late for that.");
    }

    private static RequestDecision notAwaitingRefusal(RequestDecisionDraft draft) {
        return draft.refuse(NOT_AWAITING, "The rollout awaits no approval.");
    }

    static RequestDecision endedRefusal(RequestDecisionDraft draft) {
        RefusalCode code = FINAL;
        return draft.refuse(
                code, "The rollout has ended as " + StateNameFormatter.of(draft.state()) + ".");
    }
}
