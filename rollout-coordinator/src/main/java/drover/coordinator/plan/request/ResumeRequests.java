package drover.coordinator.plan.request;

import static drover.model.RefusalCode.ACKNOWLEDGE_FAILURES;
import static drover.model.RefusalCode.ALREADY;
import static drover.model.RefusalCode.NOT_STARTED;
import static drover.model.RefusalCode.USE_APPROVE;

import drover.coordinator.plan.batch.UnhealthyBudget;
import drover.coordinator.plan.health.RollbackGate;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.RolloutState.AwaitingApproval;
import drover.coordinator.plan.model.RolloutState.Cancelling;
import drover.coordinator.plan.model.RolloutState.Paused;
import drover.coordinator.plan.model.RolloutState.Pending;
import drover.coordinator.plan.model.RolloutState.Resumable;
import drover.coordinator.plan.model.RolloutState.RollingBack;
import drover.coordinator.plan.model.RolloutState.Running;

/** Decides requests to resume a rollout. */
final class ResumeRequests {
    private ResumeRequests() {}

    static Decision resume(RequestDraft draft, int acknowledged) {
        return switch (draft.state()) {
            case Pending p -> draft.refuse(NOT_STARTED, "The rollout has not started; start it.");
            case Running r -> draft.refuse(ALREADY, "The rollout is running already.");
            case AwaitingApproval a ->
                    draft.refuse(USE_APPROVE, "The rollout awaits approval; approve the canary.");
            case Paused paused -> resume(draft, paused, acknowledged);
            case Cancelling c -> OperatorRequests.tooLate(draft);
            case RollingBack r -> draft.refuse(ALREADY, "The rollback is running already.");
            case RolloutState.Ended ended -> OperatorRequests.ended(draft);
        };
    }

    private static Decision resume(RequestDraft draft, Paused paused, int acknowledged) {
        return switch (paused.resume(draft.now)) {
            case RollingBack rollingBack -> rollback(draft, paused, rollingBack, acknowledged);
            case Running running when paused.reason() == PauseReason.TARGETS_UNHEALTHY ->
                    targets(draft, running, acknowledged);
            case Running running -> failures(draft, paused, running, acknowledged);
            case AwaitingApproval waiting -> failures(draft, paused, waiting, acknowledged);
        };
    }

    /** Restored nodes that are unhealthy still must be acknowledged, so that it continues (A23). */
    private static Decision rollback(
            RequestDraft draft, Paused paused, RollingBack rollingBack, int acknowledged) {
        int unhealthy = RollbackGate.unhealthy(draft.rollout);
        boolean stops = paused.reason() == PauseReason.RESTORED_UNHEALTHY;
        if ((stops && unhealthy != acknowledged) || (acknowledged != 0 && !stops)) {
            return acknowledge(draft, "unhealthy restored nodes", stops ? unhealthy : 0);
        }
        if (paused.reason() == PauseReason.HEALTH_UNAVAILABLE) {
            draft.restartHealthWait();
        }
        return resumed(draft, stops ? rollingBack.accept(unhealthy) : rollingBack);
    }

    /** Targets that are unhealthy still must be acknowledged, so that it continues (A24). */
    private static Decision targets(RequestDraft draft, Running running, int acknowledged) {
        int unhealthy = UnhealthyBudget.unhealthy(draft.rollout, draft.fleet).size();
        boolean within = unhealthy <= draft.rollout.spec().conduct().unhealthyBudget();
        if (acknowledged != (within ? 0 : unhealthy)) {
            return acknowledge(draft, "unhealthy targets", within ? 0 : unhealthy);
        }
        return resumed(draft, within ? running : running.accept(unhealthy));
    }

    private static Decision failures(
            RequestDraft draft, Paused paused, Resumable next, int acknowledged) {
        int failures = draft.rollout.failures();
        boolean mustAcknowledge =
                draft.rollout.isBeyondThreshold()
                        || (paused.reason().needsAcknowledgement()
                                && draft.rollout.unacknowledgedFailures() > 0)
                        || (draft.rollout.firstUnhealthy().isPresent()
                                && !draft.rollout.continuesRegardless());
        if (acknowledged != 0 || mustAcknowledge) {
            if (acknowledged != failures) {
                return acknowledge(draft, "failures", failures);
            }
            draft.acknowledge(failures);
        }
        if (paused.reason() == PauseReason.NODES_OFFLINE) {
            draft.acceptOffline();
        }
        if (paused.reason() == PauseReason.HEALTH_UNAVAILABLE) {
            draft.restartHealthWait();
        }
        return resumed(draft, next);
    }

    private static Decision acknowledge(RequestDraft draft, String what, int present) {
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

    private static Decision resumed(RequestDraft draft, Resumable next) {
        return draft.move(next, "RESUMED", "An operator resumed it.");
    }
}
