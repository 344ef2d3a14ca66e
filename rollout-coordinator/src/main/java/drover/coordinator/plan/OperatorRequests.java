package drover.coordinator.plan;

import static drover.model.RefusalCode.ACKNOWLEDGE_FAILURES;
import static drover.model.RefusalCode.ALREADY;
import static drover.model.RefusalCode.FINAL;
import static drover.model.RefusalCode.NOTHING_DONE;
import static drover.model.RefusalCode.NOT_AWAITING;
import static drover.model.RefusalCode.NOT_STARTED;
import static drover.model.RefusalCode.RESUME_FIRST;
import static drover.model.RefusalCode.SUPERSEDED;
import static drover.model.RefusalCode.TOO_LATE;
import static drover.model.RefusalCode.USE_APPROVE;
import static drover.model.RefusalCode.USE_PAUSE;
import static drover.model.RefusalCode.USE_RESUME;
import static drover.model.RefusalCode.WRITTEN_BY_LATER_VERSION;

import drover.coordinator.plan.RolloutState.AwaitingApproval;
import drover.coordinator.plan.RolloutState.Cancelling;
import drover.coordinator.plan.RolloutState.Paused;
import drover.coordinator.plan.RolloutState.Pending;
import drover.coordinator.plan.RolloutState.Reversible;
import drover.coordinator.plan.RolloutState.RolledBack;
import drover.coordinator.plan.RolloutState.RollingBack;
import drover.coordinator.plan.RolloutState.Running;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.List;

/**
 * Decides what becomes of a request, for every state (DESIGN: the table of states and requests; a
 * test goes over every cell). Pure: same arguments, same answer.
 */
public final class OperatorRequests {
    /** Code of the transition by which a rollout is forced. */
    public static final String FORCED = "FORCED";

    /** Code of the transition by which a canary is approved. */
    public static final String APPROVED = "APPROVED";

    private OperatorRequests() {}

    /** A request, who asks, and why. */
    public record Asked(OperatorRequest request, String actor, String reason) {}

    /** Decides one request. */
    public static Decision decide(Rollout rollout, Asked asked, FleetView fleet, Instant now) {
        RequestDraft draft = new RequestDraft(rollout, fleet, asked.reason(), now);
        Decision decision = decide(draft, asked.request(), asked.reason());
        return decision instanceof Decision.Applied
                ? SecondPerson.refusal(rollout, asked.request(), asked.actor())
                        .map(Decision.class::cast)
                        .orElse(decision)
                : decision;
    }

    private static Decision decide(RequestDraft draft, OperatorRequest request, String reason) {
        return switch (request) {
            case OperatorRequest.Start start -> start(draft);
            case OperatorRequest.Pause pause -> pause(draft);
            case OperatorRequest.Resume(int acknowledged) -> resume(draft, acknowledged);
            case OperatorRequest.Cancel cancel -> cancel(draft);
            case OperatorRequest.Approve(String evidence) -> approve(draft, evidence);
            case OperatorRequest.Force force -> force(draft);
            case OperatorRequest.Rollback rollback -> rollback(draft);
            case OperatorRequest.RetryNode(var node) -> NodeRequests.retry(draft, node);
            case OperatorRequest.SkipNode(var node) -> SkipRequests.skip(draft, List.of(node));
            case OperatorRequest.SkipNodes(var nodes) ->
                    nodes.isEmpty()
                            ? SkipRequests.skipWhatHoldsItUp(draft)
                            : SkipRequests.skip(draft, nodes);
            case OperatorRequest.HoldNode(var node, var until) ->
                    HoldRequests.hold(draft, node, reason, until);
            case OperatorRequest.ReleaseNode(var node) -> HoldRequests.release(draft, node);
            case OperatorRequest.Unknown(String kind) ->
                    draft.refuse(
                            WRITTEN_BY_LATER_VERSION,
                            "A later version took the request '"
                                    + kind
                                    + "', which the leader does not know; upgrade the coordinators,"
                                    + " then ask again.");
        };
    }

    private static Decision start(RequestDraft draft) {
        return switch (draft.state()) {
            case Pending pending ->
                    draft.move(pending.start(draft.now), "STARTED", "An operator started it.");
            case Running r -> draft.refuse(ALREADY, "The rollout is running already.");
            case AwaitingApproval a ->
                    draft.refuse(ALREADY, "The rollout has started and awaits approval.");
            case Paused p -> draft.refuse(USE_RESUME, "The rollout is paused; resume it.");
            case Cancelling c -> tooLate(draft);
            case RollingBack r -> tooLate(draft);
            case RolloutState.Ended ended -> ended(draft);
        };
    }

    private static Decision pause(RequestDraft draft) {
        return switch (draft.state()) {
            case Pending p ->
                    draft.refuse(
                            NOT_STARTED, "The rollout has not started; there is nothing to pause.");
            case RolloutState.Resumable resumable ->
                    draft.move(
                            resumable.pause(PauseReason.OPERATOR, draft.now),
                            PauseReason.OPERATOR.name(),
                            "An operator paused it.");
            case Paused p -> draft.refuse(ALREADY, "The rollout is paused already.");
            case Cancelling c -> tooLate(draft);
            case RolloutState.Ended ended -> ended(draft);
        };
    }

    private static Decision resume(RequestDraft draft, int acknowledged) {
        return switch (draft.state()) {
            case Pending p -> draft.refuse(NOT_STARTED, "The rollout has not started; start it.");
            case Running r -> draft.refuse(ALREADY, "The rollout is running already.");
            case AwaitingApproval a ->
                    draft.refuse(USE_APPROVE, "The rollout awaits approval; approve the canary.");
            case Paused paused -> resume(draft, paused, acknowledged);
            case Cancelling c -> tooLate(draft);
            case RollingBack r -> draft.refuse(ALREADY, "The rollback is running already.");
            case RolloutState.Ended ended -> ended(draft);
        };
    }

    private static Decision resume(RequestDraft draft, Paused paused, int acknowledged) {
        boolean upgrading = !(paused.from() instanceof RollingBack);
        int failures = draft.rollout.failures();
        boolean mustAcknowledge =
                upgrading
                        && (draft.rollout.isBeyondThreshold()
                                || (paused.reason().needsAcknowledgement()
                                        && draft.rollout.unacknowledgedFailures() > 0));
        if (acknowledged != 0 || mustAcknowledge) {
            if (acknowledged != failures) {
                return draft.refuse(
                        ACKNOWLEDGE_FAILURES,
                        "To go on, acknowledge the present number of failures: "
                                + failures
                                + ". Look at them first.");
            }
            draft.acknowledge(failures);
        }
        if (paused.reason() == PauseReason.NODES_OFFLINE) {
            draft.acceptOffline();
        }
        if (paused.reason() == PauseReason.HEALTH_UNAVAILABLE) {
            draft.awaitHealthAnew();
        }
        return draft.move(paused.resume(draft.now), "RESUMED", "An operator resumed it.");
    }

    private static Decision cancel(RequestDraft draft) {
        String sentence = "An operator cancelled it.";
        return switch (draft.state()) {
            case Pending pending -> draft.move(pending.cancel(draft.now), "CANCELLED", sentence);
            case Running running -> draft.move(running.cancel(draft.now), "CANCELLED", sentence);
            case AwaitingApproval waiting ->
                    draft.move(waiting.cancel(draft.now), "CANCELLED", sentence);
            case Paused paused ->
                    paused.from() instanceof RollingBack
                            ? tooLate(draft)
                            : draft.move(paused.cancel(draft.now), "CANCELLED", sentence);
            case Cancelling c -> draft.refuse(ALREADY, "The rollout is being cancelled already.");
            case RollingBack r ->
                    draft.refuse(USE_PAUSE, "The rollout is rolling back; pause it instead.");
            case RolloutState.Ended ended -> ended(draft);
        };
    }

    private static Decision approve(RequestDraft draft, String evidence) {
        return switch (draft.state()) {
            case Pending p -> notAwaiting(draft);
            case Running r -> notAwaiting(draft);
            case AwaitingApproval waiting -> draft.approve(waiting, evidence);
            case Paused paused ->
                    paused.from() instanceof RollingBack
                            ? tooLate(draft)
                            : draft.refuse(
                                    RESUME_FIRST,
                                    "The rollout is paused; resume it before approving.");
            case Cancelling c -> tooLate(draft);
            case RollingBack r -> tooLate(draft);
            case RolloutState.Ended ended -> ended(draft);
        };
    }

    /**
     * Never a way around an approval (invariant A9), and never out of a pause for other reasons.
     */
    private static Decision force(RequestDraft draft) {
        return switch (draft.state()) {
            case Pending p -> draft.refuse(NOT_STARTED, "The rollout has not started; start it.");
            case Running running -> force(draft, running);
            case AwaitingApproval a ->
                    draft.refuse(USE_APPROVE, "The rollout awaits approval; approve the canary.");
            case Paused paused ->
                    switch (paused.from()) {
                        case Running r -> force(draft, afterForcing(draft, paused));
                        case AwaitingApproval a ->
                                draft.refuse(
                                        RESUME_FIRST,
                                        "The rollout is paused before its approval; resume it and"
                                                + " approve the canary.");
                        case RollingBack r -> tooLate(draft);
                    };
            case Cancelling c -> tooLate(draft);
            case RollingBack r -> tooLate(draft);
            case RolloutState.Ended ended -> ended(draft);
        };
    }

    private static Decision force(RequestDraft draft, RolloutState next) {
        if (draft.rollout.continuesRegardless()) {
            return draft.refuse(
                    ALREADY,
                    "The rollout goes on whatever fails already; resume it if it is paused.");
        }
        draft.force();
        return draft.move(
                next,
                FORCED,
                "An operator overrode the failure threshold: failures do not pause it.");
    }

    /** A pause that failures caused is what was overridden; one for another reason stays. */
    private static RolloutState afterForcing(RequestDraft draft, Paused paused) {
        return paused.reason().isAboutFailures() ? paused.resume(draft.now) : paused;
    }

    private static Decision rollback(RequestDraft draft) {
        String code = "ROLLBACK";
        String sentence = "An operator asked for a rollback.";
        return switch (draft.state()) {
            case Pending p ->
                    draft.refuse(NOTHING_DONE, "The rollout has done nothing; cancel it instead.");
            case Running running -> draft.move(running.rollBack(draft.now), code, sentence);
            case AwaitingApproval waiting ->
                    draft.move(waiting.rollBack(draft.now), code, sentence);
            case Paused paused ->
                    paused.from() instanceof RollingBack
                            ? draft.refuse(USE_RESUME, "The rollback is paused; resume it.")
                            : draft.move(paused.rollBack(draft.now), code, sentence);
            case Cancelling cancelling ->
                    draft.move(
                            cancelling.andRollBack(),
                            code,
                            "An operator asked for a rollback; it begins when no node is in flight.");
            case RollingBack r -> draft.refuse(ALREADY, "The rollout is rolling back already.");
            case Reversible ended -> reopen(draft, ended);
            case RolledBack r -> draft.refuse(ALREADY, "The rollout is rolled back already.");
        };
    }

    /**
     * The one way out of an ended rollout; the chain is claimed again by the commit (invariant
     * A17).
     */
    private static Decision reopen(RequestDraft draft, Reversible ended) {
        for (NodeUpgrade node : draft.rollout.nodes().values()) {
            if (node.installedBy() != 0 && draft.fleet.superseded(node.id())) {
                return draft.refuse(
                        SUPERSEDED,
                        "Program "
                                + draft.rollout.spec().binary()
                                + " of node "
                                + node.id()
                                + " has been changed by a later rollout; roll that one back first.");
            }
        }
        return draft.move(
                ended.rollBack(draft.now), "ROLLBACK", "An operator asked for a rollback.");
    }

    static Decision tooLate(RequestDraft draft) {
        return draft.refuse(
                TOO_LATE,
                "The rollout is " + Words.of(draft.state()) + "; it is too late for that.");
    }

    private static Decision notAwaiting(RequestDraft draft) {
        return draft.refuse(NOT_AWAITING, "The rollout awaits no approval.");
    }

    static Decision ended(RequestDraft draft) {
        RefusalCode code = FINAL;
        return draft.refuse(code, "The rollout has ended as " + Words.of(draft.state()) + ".");
    }
}
