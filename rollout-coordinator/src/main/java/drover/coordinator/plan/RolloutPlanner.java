package drover.coordinator.plan;

import drover.coordinator.plan.batch.AllTargetsHealthGate;
import drover.coordinator.plan.batch.ApprovalRules;
import drover.coordinator.plan.batch.AttemptStatusApplier;
import drover.coordinator.plan.batch.BatchAdvancer;
import drover.coordinator.plan.batch.HoldExpiry;
import drover.coordinator.plan.batch.LateFailureRules;
import drover.coordinator.plan.batch.OfflineBudgetUsageCounter;
import drover.coordinator.plan.batch.RetiredNodeRules;
import drover.coordinator.plan.batch.RollbackAdvancer;
import drover.coordinator.plan.batch.RollbackOrder;
import drover.coordinator.plan.health.HealthGate;
import drover.coordinator.plan.health.NodeDeadlineEnforcer;
import drover.coordinator.plan.health.OldAgentStopRules;
import drover.coordinator.plan.health.RestoredNodeHealthGate;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.step.Step;
import drover.coordinator.plan.step.StepDraft;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides what a rollout does next. Pure: same arguments, same answer (invariant A20). First what
 * the agents and the health-evaluator say is taken in, then deadlines are judged, then the rollout
 * itself moves.
 */
public final class RolloutPlanner {
    private RolloutPlanner() {}

    /**
     * The next step of a rollout at this moment; a step that changes nothing when there is nothing
     * to do.
     */
    public static Step plan(
            Rollout rollout, FleetView fleet, RolloutTimeouts timings, Instant now) {
        StepDraft draft = new StepDraft(rollout, fleet, timings, now);
        if (!rollout.state().isFinal()) {
            AttemptStatusApplier.apply(draft);
            RetiredNodeRules.evaluate(draft);
            OldAgentStopRules.evaluate(draft);
            LateFailureRules.evaluate(draft);
            RestoredNodeHealthGate.evaluate(draft);
            HealthGate.evaluate(draft);
            NodeDeadlineEnforcer.enforceDeadlines(draft);
            HoldExpiry.expireHolds(draft);
            OfflineBudgetUsageCounter.lowerAccepted(draft);
            advance(draft);
        }
        return draft.toStep(
                EffectPlanner.wantedEffects(draft), NextWakeupPlanner.nextWakeup(draft));
    }

    private static void advance(StepDraft draft) {
        switch (draft.state()) {
            case RolloutState.Pending pending -> expirePending(draft, pending);
            case RolloutState.Running running -> advanceRunning(draft, running);
            case RolloutState.AwaitingApproval waiting ->
                    ApprovalRules.advanceAwaitingApproval(draft, waiting);
            case RolloutState.Paused paused -> withdrawWhilePaused(draft, paused);
            case RolloutState.Cancelling cancelling -> advanceCancelling(draft, cancelling);
            case RolloutState.RollingBack rollingBack -> advanceRollback(draft, rollingBack);
            case RolloutState.Completed completed -> {}
            case RolloutState.Failed failed -> {}
            case RolloutState.Cancelled cancelled -> {}
            case RolloutState.RolledBack rolledBack -> {}
        }
    }

    /** A component waits for those before it, however long they take; its group expires instead. */
    private static void expirePending(StepDraft draft, RolloutState.Pending pending) {
        if (draft.spec.isInGroup()) {
            return;
        }
        if (draft.isPast(pending.since().plus(draft.timings.pendingExpiry()))) {
            draft.moveRollout(
                    pending.expire(draft.now),
                    new Cause("NEVER_STARTED", "Nobody started the rollout within 24 hours."));
        }
    }

    private static void advanceRunning(StepDraft draft, RolloutState.Running running) {
        if (!pauseIfVisibilityLostTooLong(draft, running)
                && !ApprovalRules.revokeAndStopIfCanaryChanged(draft, running)) {
            BatchAdvancer.advance(
                    draft, AllTargetsHealthGate.lowerAcceptedUnhealthy(draft, running));
        }
    }

    private static void advanceRollback(StepDraft draft, RolloutState.RollingBack rollingBack) {
        if (!pauseIfVisibilityLostTooLong(draft, rollingBack)) {
            RollbackAdvancer.advance(draft, rollingBack);
        }
    }

    /** Without sight for too long a person must know (rule R3). */
    private static boolean pauseIfVisibilityLostTooLong(
            StepDraft draft, RolloutState.Pausable state) {
        Instant visibilityLostAt = draft.fleet.visibilityLostSince();
        boolean tooLong =
                visibilityLostAt != null
                        && draft.isPast(visibilityLostAt.plus(draft.timings.blindPause()));
        if (tooLong) {
            Cause because =
                    new Cause(
                            PauseReason.NO_FLEET_VISIBILITY.name(),
                            "The coordinator could not see the fleet for 15 minutes; nodes were left as they are.");
            draft.moveRollout(state.pause(PauseReason.NO_FLEET_VISIBILITY, draft.now), because);
            firstNodeToReport(draft)
                    .ifPresent(node -> draft.openStalledIncident(node.id(), because));
        }
        return tooLong;
    }

    /** Incidents are of nodes: one of those that are not seen stands for all. */
    private static Optional<NodeUpgrade> firstNodeToReport(StepDraft draft) {
        return draft.nodesInFlight()
                .findFirst()
                .or(() -> draft.nodes().stream().filter(RolloutPlanner::isPending).findFirst())
                .or(() -> draft.nodes().stream().findFirst());
    }

    private static boolean isPending(NodeUpgrade node) {
        return node.state() instanceof NodeState.Pending;
    }

    private static void withdrawWhilePaused(StepDraft draft, RolloutState.Paused paused) {
        if (!(paused.from() instanceof RolloutState.RollingBack)) {
            draft.withdrawAssigned();
            ApprovalRules.revokePausedIfCanaryChanged(draft);
        }
    }

    private static void advanceCancelling(StepDraft draft, RolloutState.Cancelling cancelling) {
        draft.withdrawAssigned();
        if (draft.nodesInFlight().findAny().isPresent()) {
            return;
        }
        if (cancelling.thenRollBack()) {
            RollbackHealthPolicy health =
                    cancelling.health().orElse(draft.spec.conduct().rollbackHealth());
            draft.moveRollout(
                    cancelling.rollBack(health, draft.now),
                    new Cause(
                            "ROLLBACK",
                            "The requested rollback begins. "
                                    + RollbackOrder.describe(
                                            draft.rollout(), draft.fleet, health)));
        } else {
            draft.moveRollout(
                    cancelling.finishCancelling(draft.now),
                    new Cause("CANCELLED", "No node is in flight any more."));
        }
    }
}
