package drover.coordinator.plan.group;

import drover.coordinator.plan.group.RequestToComponent.Status;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.request.OperatorRequest;

/**
 * Rolls a group back: the component that was begun last first, each when the one after it is back
 * (invariant A3). Where one does not come back wholly, those before it stay as they are: it may
 * need them as they run now, and a person must look.
 */
final class GroupRollbackAdvancer {
    private GroupRollbackAdvancer() {}

    static void advance(GroupStepDraft draft, GroupState.RollingBack rollingBack) {
        int index = lastNotRolledBack(draft);
        if (index < 0) {
            draft.moveGroup(
                    rollingBack.completeRollback(draft.now),
                    "ROLLED_BACK",
                    "Every component that was begun is rolled back.");
            return;
        }
        ComponentRolloutSummary component = draft.view.component(index);
        if (!component.started()) {
            draft.requestComponentOnce(index, new OperatorRequest.Cancel());
            return;
        }
        switch (component.state()) {
            case RolloutState.RollingBack r -> {} // under way
            case RolloutState.Paused paused -> {
                if (paused.from() instanceof RolloutState.RollingBack) {
                    pauseGroupUnlessResuming(draft, rollingBack, index, paused);
                } else {
                    rollBackComponent(draft, rollingBack, index);
                }
            }
            case RolloutState.Failed failed -> {
                boolean requested =
                        draft.requestStatus(index, new OperatorRequest.Rollback())
                                instanceof Status.Applied;
                if (requested && failed.reason() == RolloutFailureReason.ROLLBACK_INCOMPLETE) {
                    failRollback(draft, rollingBack, index, "could not be rolled back wholly.");
                } else {
                    rollBackComponent(draft, rollingBack, index);
                }
            }
            case RolloutState.Running r -> rollBackComponent(draft, rollingBack, index);
            case RolloutState.AwaitingApproval a -> rollBackComponent(draft, rollingBack, index);
            case RolloutState.Cancelling
                            c -> {} // asked when it has ended: a pause until then holds
            case RolloutState.Completed c -> rollBackComponent(draft, rollingBack, index);
            case RolloutState.Cancelled c -> rollBackComponent(draft, rollingBack, index);
            case RolloutState.Pending p -> {} // never begun, and cancelled above
            case RolloutState.RolledBack r -> {} // back, and passed over
        }
    }

    /** -1 when every one is. */
    private static int lastNotRolledBack(GroupStepDraft draft) {
        for (int i = draft.view.components().size() - 1; i >= 0; i--) {
            ComponentRolloutSummary component = draft.view.component(i);
            boolean untouched = !component.started() && component.isFinal();
            if (!untouched && !(component.state() instanceof RolloutState.RolledBack)) {
                return i;
            }
        }
        return -1;
    }

    private static void rollBackComponent(
            GroupStepDraft draft, GroupState.RollingBack rollingBack, int index) {
        Status status = draft.requestComponentOnce(index, new OperatorRequest.Rollback());
        boolean ended = draft.view.component(index).isFinal();
        if (status instanceof Status.Refused refused && ended) {
            failRollback(draft, rollingBack, index, "refused: " + refused.sentence());
        } else if (status instanceof Status.Refused refused) {
            draft.moveGroup(
                    rollingBack.pause(GroupPauseReason.COMPONENT_REQUEST_REFUSED, draft.now),
                    GroupPlanner.refusedCause(draft, index, refused));
        }
    }

    private static void failRollback(
            GroupStepDraft draft, GroupState.RollingBack rollingBack, int index, String what) {
        draft.moveGroup(
                rollingBack.failRollback(draft.now),
                GroupFailureReason.ROLLBACK_INCOMPLETE.name(),
                GroupPlanner.capitalized(draft.component(index).displayName()) + " " + what);
    }

    private static void pauseGroupUnlessResuming(
            GroupStepDraft draft,
            GroupState.RollingBack rollingBack,
            int index,
            RolloutState.Paused paused) {
        if (draft.requestStatus(index, new OperatorRequest.Resume(0)) instanceof Status.Pending) {
            return;
        }
        draft.moveGroup(
                rollingBack.pause(GroupPauseReason.COMPONENT_PAUSED, draft.now),
                paused.reason().name(),
                "The rollback of "
                        + draft.component(index).displayName()
                        + " paused: "
                        + paused.reason()
                        + ".");
    }

    /**
     * Nothing is on its way below a paused rollback: neither back nor forward, as a component is
     * where the group was paused before it could ask for the way back.
     */
    static void pauseActiveComponents(GroupStepDraft draft, GroupState.Paused paused) {
        if (paused.reason() == GroupPauseReason.COMPONENT_PAUSED) {
            return; // a person may set that component going by itself
        }
        for (GroupComponent component : draft.group.spec().components()) {
            if (isAtWork(draft.view.component(component.index()).state())) {
                draft.requestComponentOnce(component.index(), new OperatorRequest.Pause());
            }
        }
    }

    /** Whether it was paused on its way back. */
    static boolean isPausedInRollback(RolloutState state) {
        return state instanceof RolloutState.Paused paused
                && paused.from() instanceof RolloutState.RollingBack;
    }

    static boolean isAtWork(RolloutState state) {
        return state instanceof RolloutState.RollingBack
                || state instanceof RolloutState.Running
                || state instanceof RolloutState.AwaitingApproval;
    }

    /** Whether a paused component is what a paused rollback waits for; -1 when there is none. */
    static int findComponentPausedInRollback(GroupStepDraft draft) {
        int index = lastNotRolledBack(draft);
        return index >= 0 && isPausedInRollback(draft.view.component(index).state()) ? index : -1;
    }
}
