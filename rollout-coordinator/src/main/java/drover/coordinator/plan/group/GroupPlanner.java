package drover.coordinator.plan.group;

import drover.coordinator.plan.group.RequestToComponent.Status;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.request.OperatorRequest;
import java.time.Duration;
import java.time.Instant;

/**
 * Decides what a group does next: one move at a time, until nothing is left to do for now. Pure:
 * same arguments, same answer. Steers its components by requests alone (rule R4), at most one of
 * them at work (invariant A3).
 */
public final class GroupPlanner {
    private GroupPlanner() {}

    /**
     * The next step.
     *
     * @param pendingExpiry how long a group may wait to be started
     */
    public static GroupStep plan(
            RolloutGroup group, GroupDecisionInput view, Duration pendingExpiry, Instant now) {
        GroupStepDraft draft = new GroupStepDraft(group, view, now);
        switch (group.state()) {
            case GroupState.Pending pending -> expireIfDue(draft, pending, pendingExpiry);
            case GroupState.Running running -> advanceRunning(draft, running);
            case GroupState.Paused paused -> advancePaused(draft, paused);
            case GroupState.Cancelling cancelling -> advanceCancelling(draft, cancelling);
            case GroupState.RollingBack rollingBack ->
                    GroupRollbackAdvancer.advance(draft, rollingBack);
            case GroupState.Ended ended -> {}
        }
        return draft.toStep();
    }

    private static void expireIfDue(
            GroupStepDraft draft, GroupState.Pending pending, Duration expiry) {
        Instant until = pending.since().plus(expiry);
        if (draft.now.isBefore(until)) {
            draft.wakeAt(until);
        } else {
            draft.moveGroup(
                    pending.expire(draft.now),
                    "NEVER_STARTED",
                    "Nobody started the group within 24 hours.");
        }
    }

    private static void advanceRunning(GroupStepDraft draft, GroupState.Running running) {
        switch (running.stage()) {
            case COMPONENT -> advanceComponent(draft, running);
            case GATE -> advanceGate(draft, running);
        }
    }

    private static void advanceComponent(GroupStepDraft draft, GroupState.Running running) {
        int index = running.component();
        ComponentRolloutSummary component = draft.view.component(index);
        if (draft.group.skipped().contains(index)) {
            advanceSkipped(draft, running, component);
            return;
        }
        switch (component.state()) {
            case RolloutState.Pending pending -> startComponentOrPause(draft, running);
            case RolloutState.Paused paused -> handlePausedComponent(draft, running, paused);
            case RolloutState.Completed completed ->
                    startGateOrEndGroup(draft, running, "is completed");
            case RolloutState.Failed failed ->
                    applyFailurePolicy(
                            draft,
                            running,
                            componentCause(draft, index, "failed", failed.reason().name()));
            case RolloutState.Cancelled cancelled ->
                    applyFailurePolicy(
                            draft,
                            running,
                            componentCause(draft, index, "was cancelled", "CANCELLED"));
            case RolloutState.RolledBack rolledBack ->
                    applyFailurePolicy(
                            draft,
                            running,
                            componentCause(draft, index, "was rolled back", "ROLLED_BACK"));
            case RolloutState.Running r -> {} // at work
            case RolloutState.AwaitingApproval a -> {} // a person approves the rollout itself
            case RolloutState.Cancelling c -> {}
            case RolloutState.RollingBack r -> {}
        }
    }

    private static void startComponentOrPause(GroupStepDraft draft, GroupState.Running running) {
        if (draft.requestComponentOnce(running.component(), new OperatorRequest.Start())
                instanceof Status.Refused refused) {
            draft.moveGroup(
                    running.pause(GroupPauseReason.COMPONENT_REQUEST_REFUSED, draft.now),
                    refusedCause(draft, running.component(), refused));
        }
    }

    /**
     * A component that paused: resumed with the group, or failed, or waiting for something else.
     */
    private static void handlePausedComponent(
            GroupStepDraft draft, GroupState.Running running, RolloutState.Paused paused) {
        int index = running.component();
        switch (draft.requestStatus(index, new OperatorRequest.Resume(0))) {
            case Status.Pending pending -> {}
            case Status.Refused refused ->
                    draft.moveGroup(
                            running.pause(toGroupPauseReason(paused.reason()), draft.now),
                            refusedCause(draft, index, refused));
            case Status.NotRequested notRequested -> failOrPause(draft, running, paused);
            case Status.Applied applied -> failOrPause(draft, running, paused);
        }
    }

    private static void failOrPause(
            GroupStepDraft draft, GroupState.Running running, RolloutState.Paused paused) {
        Cause because =
                componentCause(draft, running.component(), "paused", paused.reason().name());
        if (isFailurePause(paused.reason())) {
            applyFailurePolicy(draft, running, because);
        } else {
            draft.moveGroup(running.pause(GroupPauseReason.COMPONENT_PAUSED, draft.now), because);
        }
    }

    private static GroupPauseReason toGroupPauseReason(PauseReason reason) {
        return isFailurePause(reason)
                ? GroupPauseReason.COMPONENT_FAILED
                : GroupPauseReason.COMPONENT_PAUSED;
    }

    /** What pauses a rollout because its nodes failed is a failure of the component. */
    static boolean isFailurePause(PauseReason reason) {
        return reason.isAboutFailures() || reason == PauseReason.CANARY_UNHEALTHY;
    }

    /** Decides by the policy what a failure leads to (seed 000, failure policies). */
    private static void applyFailurePolicy(
            GroupStepDraft draft, GroupState.Running running, Cause because) {
        switch (draft.group.spec().policy()) {
            case PARTIAL_OK ->
                    draft.moveGroup(
                            running.startCancelling(failureEnding(draft), draft.now), because);
            case ROLLBACK_ALL -> draft.moveGroup(running.rollBack(draft.now), because);
            case MANUAL ->
                    draft.moveGroup(
                            running.pause(GroupPauseReason.COMPONENT_FAILED, draft.now), because);
        }
    }

    /**
     * A skipped component ends first: two are never at work (invariant A3). It may have completed
     * before anybody could stop it; then that is what it is called (A11).
     */
    private static void advanceSkipped(
            GroupStepDraft draft, GroupState.Running running, ComponentRolloutSummary component) {
        if (component.state() instanceof RolloutState.Completed) {
            startGateOrEndGroup(draft, running, "is completed");
        } else if (component.isFinal()) {
            startGateOrEndGroup(draft, running, "is skipped");
        } else if (component.state() instanceof RolloutState.Paused paused
                && GroupRollbackAdvancer.isPausedInRollback(paused)) {
            pauseGroupUnlessResuming(draft, running, paused);
        } else {
            cancelUnlessRollingBack(draft, running.component());
        }
    }

    /** A skipped component that rests on its way back is resumed with its group, as any other. */
    private static void pauseGroupUnlessResuming(
            GroupStepDraft draft, GroupState.Running running, RolloutState.Paused paused) {
        int index = running.component();
        boolean resumes =
                draft.requestStatus(index, new OperatorRequest.Resume(0)) instanceof Status.Pending;
        if (!resumes) {
            draft.moveGroup(
                    running.pause(GroupPauseReason.COMPONENT_PAUSED, draft.now),
                    componentCause(draft, index, "paused", paused.reason().name()));
        }
    }

    /** What goes back cannot be cancelled, and where it rests only a person sets it going. */
    private static void cancelUnlessRollingBack(GroupStepDraft draft, int index) {
        RolloutState state = draft.view.component(index).state();
        boolean goesBack =
                state instanceof RolloutState.RollingBack
                        || GroupRollbackAdvancer.isPausedInRollback(state);
        if (!goesBack) {
            draft.requestComponentOnce(index, new OperatorRequest.Cancel());
        }
    }

    private static void startGateOrEndGroup(
            GroupStepDraft draft, GroupState.Running running, String how) {
        int index = running.component();
        if (!draft.group.isLast(index)) {
            String code = how.equals("is skipped") ? "COMPONENT_SKIPPED" : "COMPONENT_COMPLETED";
            draft.moveGroup(
                    running.startGate(draft.now),
                    code,
                    capitalized(draft.component(index).displayName())
                            + " "
                            + how
                            + "; all programs of all nodes are looked at.");
        } else if (allCompleted(draft)) {
            draft.moveGroup(
                    running.complete(draft.now), "COMPLETED", "Every component is completed.");
        } else if (anyCompleted(draft)) {
            draft.moveGroup(
                    running.completePartly(draft.now),
                    "PARTIAL",
                    "The last component " + how + "; others were skipped.");
        } else {
            draft.moveGroup(
                    running.fail(draft.now), "COMPONENT_FAILED", "No component is completed.");
        }
    }

    private static void advanceGate(GroupStepDraft draft, GroupState.Running running) {
        switch (draft.view.gate()) {
            case GroupGateStatus.Open(int nodes) ->
                    draft.moveGroup(
                            running.startNextComponent(draft.now),
                            "GATE_OPEN",
                            "Every program of "
                                    + nodes
                                    + (nodes == 1 ? " node" : " nodes")
                                    + " is well; "
                                    + draft.component(running.component() + 1).displayName()
                                    + " is next.");
            case GroupGateStatus.Closed(Cause because) -> applyGateFailure(draft, running, because);
            case GroupGateStatus.Waiting(Instant requestedAt, String waitingOn) ->
                    awaitVerdictsOrPause(draft, running, requestedAt, waitingOn);
        }
    }

    private static void applyGateFailure(
            GroupStepDraft draft, GroupState.Running running, Cause because) {
        Cause unhealthy =
                new Cause(
                        GroupPauseReason.GATE_UNHEALTHY.name(),
                        "After "
                                + draft.component(running.component()).displayName()
                                + ": "
                                + because.sentence());
        switch (draft.group.spec().policy()) {
            case PARTIAL_OK ->
                    draft.moveGroup(
                            running.startCancelling(failureEnding(draft), draft.now), unhealthy);
            case ROLLBACK_ALL -> draft.moveGroup(running.rollBack(draft.now), unhealthy);
            case MANUAL ->
                    draft.moveGroup(
                            running.pause(GroupPauseReason.GATE_UNHEALTHY, draft.now), unhealthy);
        }
    }

    /** Silence is not bad (rule R3): whatever the policy, a person must look. */
    private static void awaitVerdictsOrPause(
            GroupStepDraft draft,
            GroupState.Running running,
            Instant requestedAt,
            String waitingOn) {
        Instant startedAt = requestedAt.isAfter(running.since()) ? requestedAt : running.since();
        Instant until = startedAt.plus(draft.component(running.component()).gateTimeout());
        if (draft.now.isBefore(until)) {
            draft.wakeAt(until);
        } else {
            draft.moveGroup(
                    running.pause(GroupPauseReason.GATE_UNKNOWN, draft.now),
                    GroupPauseReason.GATE_UNKNOWN.name(),
                    "Not every program was judged in time: " + waitingOn);
        }
    }

    /**
     * Nothing runs below a paused group, neither forward nor back by its own conduct, unless a
     * person set the paused component going by itself: then the group goes on with it.
     */
    private static void advancePaused(GroupStepDraft draft, GroupState.Paused paused) {
        switch (paused.from()) {
            case GroupState.RollingBack rollingBack ->
                    GroupRollbackAdvancer.pauseActiveComponents(draft, paused);
            case GroupState.Running running -> {
                if (running.stage() == RunningGroupStage.COMPONENT) {
                    advancePaused(draft, paused, running.component());
                }
            }
        }
    }

    private static void advancePaused(GroupStepDraft draft, GroupState.Paused paused, int index) {
        RolloutState state = draft.view.component(index).state();
        boolean goesBack = state instanceof RolloutState.RollingBack;
        boolean goesForward = GroupRollbackAdvancer.isAtWork(state) && !goesBack;
        boolean waitedForIt =
                paused.reason() == GroupPauseReason.COMPONENT_FAILED
                        || paused.reason() == GroupPauseReason.COMPONENT_PAUSED;
        if (goesForward && waitedForIt) {
            draft.moveGroup(
                    paused.resume(draft.now),
                    "COMPONENT_GOES_ON",
                    capitalized(draft.component(index).displayName()) + " goes on.");
        } else if (goesForward || (goesBack && !waitedForIt)) {
            draft.requestComponentOnce(index, new OperatorRequest.Pause());
        }
    }

    private static void advanceCancelling(GroupStepDraft draft, GroupState.Cancelling cancelling) {
        boolean over = true;
        for (GroupComponent component : draft.group.spec().components()) {
            ComponentRolloutSummary view = draft.view.component(component.index());
            if (!view.isFinal()) {
                over = false;
                cancelUnlessRollingBack(draft, component.index());
            }
        }
        if (over) {
            draft.moveGroup(
                    cancelling.finishCancelling(draft.now),
                    cancelling.ending().name(),
                    "Nothing of it is under way any more.");
        }
    }

    private static UnsuccessfulGroupEnding failureEnding(GroupStepDraft draft) {
        return anyCompleted(draft)
                ? UnsuccessfulGroupEnding.PARTIAL
                : UnsuccessfulGroupEnding.FAILED;
    }

    private static boolean allCompleted(GroupStepDraft draft) {
        return draft.view.components().stream()
                .allMatch(component -> component.state() instanceof RolloutState.Completed);
    }

    private static boolean anyCompleted(GroupStepDraft draft) {
        return draft.view.components().stream()
                .anyMatch(component -> component.state() instanceof RolloutState.Completed);
    }

    private static Cause componentCause(GroupStepDraft draft, int index, String what, String code) {
        return new Cause(
                code,
                capitalized(draft.component(index).displayName()) + " " + what + ": " + code + ".");
    }

    static Cause refusedCause(GroupStepDraft draft, int index, Status.Refused refused) {
        return new Cause(
                refused.code().name(),
                capitalized(draft.component(index).displayName())
                        + " refused: "
                        + refused.sentence());
    }

    static String capitalized(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }
}
