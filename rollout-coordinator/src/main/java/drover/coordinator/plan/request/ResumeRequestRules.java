package drover.coordinator.plan.request;

import static drover.model.RefusalCode.ACKNOWLEDGE_FAILURES;
import static drover.model.RefusalCode.ALREADY;
import static drover.model.RefusalCode.NOT_STARTED;
import static drover.model.RefusalCode.USE_APPROVE;

import drover.coordinator.plan.batch.UnhealthyBudget;
import drover.coordinator.plan.health.RollbackAcceptance;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.RolloutState.AwaitingApproval;
import drover.coordinator.plan.model.RolloutState.Cancelling;
import drover.coordinator.plan.model.RolloutState.Pausable;
import drover.coordinator.plan.model.RolloutState.Paused;
import drover.coordinator.plan.model.RolloutState.Pending;
import drover.coordinator.plan.model.RolloutState.RollingBack;
import drover.coordinator.plan.model.RolloutState.Running;

/** Decides requests to resume a rollout. */
final class ResumeRequestRules {
    private ResumeRequestRules() {}

    static RequestDecision resume(RequestDecisionDraft draft, int acknowledged) {
        return switch (draft.state()) {
            case Pending p -> draft.refuse(NOT_STARTED, "The rollout has not started; start it.");
            case Running r -> draft.refuse(ALREADY, "The rollout is running already.");
            case AwaitingApproval a ->
                    draft.refuse(USE_APPROVE, "The rollout awaits approval; approve the canary.");
            case Paused paused -> resume(draft, paused, acknowledged);
            case Cancelling c -> OperatorRequestRules.tooLateRefusal(draft);
            case RollingBack r -> draft.refuse(ALREADY, "The rollback is running already.");
            case RolloutState.Ended ended -> OperatorRequestRules.endedRefusal(draft);
        };
    }

    private static RequestDecision resume(
            RequestDecisionDraft draft, Paused paused, int acknowledged) {
        return switch (paused.resume(draft.now)) {
            case RollingBack rollingBack ->
                    resumeRollback(draft, paused, rollingBack, acknowledged);
            case Running running when paused.reason() == PauseReason.TARGETS_UNHEALTHY ->
                    resumeWithUnhealthyTargets(draft, running, acknowledged);
            case Running running -> resumeWithFailures(draft, paused, running, acknowledged);
            case AwaitingApproval waiting ->
                    resumeWithFailures(draft, paused, waiting, acknowledged);
        };
    }

    /** Restored nodes that are unhealthy still must be acknowledged, so that it continues (A23). */
    private static RequestDecision resumeRollback(
            RequestDecisionDraft draft, Paused paused, RollingBack rollingBack, int acknowledged) {
        int unhealthy = RollbackAcceptance.countLeftUnhealthyOrUnverified(draft.rollout);
        boolean stops = paused.reason() == PauseReason.RESTORED_UNHEALTHY;
        if ((stops && unhealthy != acknowledged) || (acknowledged != 0 && !stops)) {
            return acknowledgementRefusal(draft, "unhealthy restored nodes", stops ? unhealthy : 0);
        }
        if (paused.reason() == PauseReason.HEALTH_UNAVAILABLE) {
            draft.restartHealthWait();
        }
        return moveToResumed(draft, stops ? rollingBack.acceptUnhealthy(unhealthy) : rollingBack);
    }

    /** Targets that are unhealthy still must be acknowledged, so that it continues (A24). */
    private static RequestDecision resumeWithUnhealthyTargets(
            RequestDecisionDraft draft, Running running, int acknowledged) {
        int unhealthy = UnhealthyBudget.findUnhealthyUnmodified(draft.rollout, draft.fleet).size();
        boolean within = unhealthy <= draft.rollout.spec().conduct().unhealthyBudget();
        if (acknowledged != (within ? 0 : unhealthy)) {
            return acknowledgementRefusal(draft, "unhealthy targets", within ? 0 : unhealthy);
        }
        return moveToResumed(draft, within ? running : running.acceptUnhealthy(unhealthy));
    }

    private static RequestDecision resumeWithFailures(
            RequestDecisionDraft draft, Paused paused, Pausable next, int acknowledged) {
        int failures = draft.rollout.thresholdFailureCount();
        boolean mustAcknowledge =
                draft.rollout.isBeyondThreshold()
                        || (paused.reason().needsAcknowledgement()
                                && draft.rollout.unacknowledgedFailureCount() > 0)
                        || (draft.rollout.firstUnacknowledgedLateFailure().isPresent()
                                && !draft.rollout.ignoresFailures());
        if (acknowledged != 0 || mustAcknowledge) {
            if (acknowledged != failures) {
                return acknowledgementRefusal(draft, "failures", failures);
            }
            draft.acknowledgeFailures(failures);
        }
        if (paused.reason() == PauseReason.NODES_OFFLINE) {
            draft.acceptOffline();
        }
        if (paused.reason() == PauseReason.HEALTH_UNAVAILABLE) {
            draft.restartHealthWait();
        }
        return moveToResumed(draft, next);
    }

    private static RequestDecision acknowledgementRefusal(
            RequestDecisionDraft draft, String what, int present) {
        return draft.refuse(
                ACKNOWLEDGE_FAILURES,
                present == 0
                        ? "There are no " + what + " to acknowledge; resume without a number."
                        : "To continue, acknowledge the present number of "
                                + what
                                + ": "
                                + present
                                + ". Look at them first.");
    }

    private static RequestDecision moveToResumed(RequestDecisionDraft draft, Pausable next) {
        return draft.moveRollout(next, "RESUMED", "An operator resumed it.");
    }
}
