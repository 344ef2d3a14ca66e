package drover.coordinator.plan.group;

import static drover.model.RefusalCode.ALREADY;
import static drover.model.RefusalCode.COMPONENT_ENDED;
import static drover.model.RefusalCode.CREATOR_CANNOT_APPROVE;
import static drover.model.RefusalCode.FINAL;
import static drover.model.RefusalCode.NOTHING_DONE;
import static drover.model.RefusalCode.NOT_STARTED;
import static drover.model.RefusalCode.PAUSE_FIRST;
import static drover.model.RefusalCode.SUPERSEDED;
import static drover.model.RefusalCode.TOO_LATE;
import static drover.model.RefusalCode.USE_PAUSE;
import static drover.model.RefusalCode.USE_RESUME;
import static drover.model.RefusalCode.WRITTEN_BY_LATER_VERSION;

import drover.coordinator.plan.group.GroupRequestDecision.Refused;
import drover.coordinator.plan.group.RequestToComponent.Status;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.TwoPersonRule;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Decides what becomes of a request to a group, for every state (docs/operations.md has the table;
 * a test goes over every cell). Pure: same arguments, same answer.
 */
public final class GroupRequestRules {
    private GroupRequestRules() {}

    /** Decides one request. */
    public static GroupRequestDecision decide(
            RolloutGroup group,
            GroupRequest request,
            String reason,
            GroupDecisionInput view,
            Instant now) {
        GroupStepDraft draft = new GroupStepDraft(group, view, now);
        return switch (request) {
            case GroupRequest.Start start -> start(draft, reason);
            case GroupRequest.Pause pause -> pause(draft, reason);
            case GroupRequest.Resume(int acknowledged) -> resume(draft, acknowledged, reason);
            case GroupRequest.Cancel cancel -> cancel(draft, reason);
            case GroupRequest.Rollback rollback -> decideRollback(draft, reason);
            case GroupRequest.Skip skip -> skip(draft, reason);
            case GroupRequest.Unknown(String kind) ->
                    new Refused(
                            WRITTEN_BY_LATER_VERSION,
                            "A later version took the request '"
                                    + kind
                                    + "', which the leader does not know; upgrade the coordinators,"
                                    + " then ask again.");
        };
    }

    /**
     * Why the creator of a group may not start it: a component asks for a second person, and its
     * own start is the group's (invariant A16). Empty for whatever else is asked.
     */
    public static Optional<Refused> findCreatorRefusal(
            GroupRequest request, String actor, GroupDecisionInput view) {
        return !(request instanceof GroupRequest.Start)
                ? Optional.empty()
                : view.components().stream()
                        .filter(component -> !component.secondPersonReason().isEmpty())
                        .filter(
                                component ->
                                        TwoPersonRule.isSamePerson(component.createdBy(), actor))
                        .findFirst()
                        .map(
                                component ->
                                        new Refused(
                                                CREATOR_CANNOT_APPROVE,
                                                "Of a component: "
                                                        + component.secondPersonReason()
                                                        + " Somebody else than its creator must"
                                                        + " start the group."));
    }

    private static GroupRequestDecision start(GroupStepDraft draft, String reason) {
        return switch (draft.state()) {
            case GroupState.Pending pending ->
                    moveGroup(
                            draft,
                            pending.start(draft.now),
                            "STARTED",
                            "An operator started it.",
                            reason);
            case GroupState.Running r -> new Refused(ALREADY, "The group is running already.");
            case GroupState.Paused p -> new Refused(USE_RESUME, "The group is paused; resume it.");
            case GroupState.Cancelling c -> tooLateRefusal(draft);
            case GroupState.RollingBack r -> tooLateRefusal(draft);
            case GroupState.Ended ended -> endedRefusal(draft);
        };
    }

    private static GroupRequestDecision pause(GroupStepDraft draft, String reason) {
        return switch (draft.state()) {
            case GroupState.Pending p ->
                    new Refused(
                            NOT_STARTED, "The group has not started; there is nothing to pause.");
            case GroupState.Pausable resumable ->
                    moveGroup(
                            draft,
                            resumable.pause(GroupPauseReason.OPERATOR, draft.now),
                            GroupPauseReason.OPERATOR.name(),
                            "An operator paused it.",
                            reason);
            case GroupState.Paused p -> new Refused(ALREADY, "The group is paused already.");
            case GroupState.Cancelling c -> tooLateRefusal(draft);
            case GroupState.Ended ended -> endedRefusal(draft);
        };
    }

    private static GroupRequestDecision resume(
            GroupStepDraft draft, int acknowledged, String reason) {
        return switch (draft.state()) {
            case GroupState.Pending p ->
                    new Refused(NOT_STARTED, "The group has not started; start it.");
            case GroupState.Running r -> new Refused(ALREADY, "The group is running already.");
            case GroupState.Paused paused -> resume(draft, paused, acknowledged, reason);
            case GroupState.Cancelling cancelling ->
                    resume(draft, cancelling, acknowledged, reason);
            case GroupState.RollingBack r ->
                    new Refused(ALREADY, "The rollback is running already.");
            case GroupState.Ended ended -> endedRefusal(draft);
        };
    }

    private static GroupRequestDecision resume(
            GroupStepDraft draft, GroupState.Paused paused, int acknowledged, String reason) {
        int index = componentToResume(draft, paused);
        if (index >= 0 && hasEndedBadly(draft, index)) {
            return new Refused(
                    COMPONENT_ENDED,
                    GroupPlanner.capitalized(draft.component(index).displayName())
                            + " has ended and cannot be resumed: continue without it ("
                            + GroupExplainer.skipCommand(draft.group.id())
                            + "), or roll the group back.");
        }
        boolean pauseUnderWay =
                index >= 0
                        && draft.requestStatus(index, new OperatorRequest.Pause())
                                instanceof Status.Pending;
        boolean isPaused =
                index >= 0 && draft.view.component(index).state() instanceof RolloutState.Paused;
        if (isPaused && draft.view.resumption().isPresent()) {
            var refusal = draft.view.resumption().get();
            return new Refused(refusal.code(), refusal.sentence());
        }
        moveWithReason(
                draft, paused.resume(draft.now), "RESUMED", "An operator resumed it.", reason);
        if (isPaused || pauseUnderWay) {
            draft.requestComponentOnce(index, new OperatorRequest.Resume(acknowledged));
        }
        return draft.toApplied();
    }

    /** A group that is being cancelled waits for what rests on its way back, too. */
    private static GroupRequestDecision resume(
            GroupStepDraft draft,
            GroupState.Cancelling cancelling,
            int acknowledged,
            String reason) {
        List<Integer> resting =
                draft.group.spec().components().stream()
                        .map(GroupComponent::index)
                        .filter(
                                index ->
                                        GroupRollbackAdvancer.isPausedInRollback(
                                                draft.view.component(index).state()))
                        .toList();
        if (resting.isEmpty()) {
            return tooLateRefusal(draft);
        }
        if (draft.view.resumption().isPresent()) {
            var refusal = draft.view.resumption().get();
            return new Refused(refusal.code(), refusal.sentence());
        }
        moveWithReason(
                draft, cancelling.resume(draft.now), "RESUMED", "An operator resumed it.", reason);
        resting.forEach(
                index ->
                        draft.requestComponentOnce(
                                index, new OperatorRequest.Resume(acknowledged)));
        return draft.toApplied();
    }

    /** The component that a pause stopped, or will; -1 when none did. */
    private static int componentToResume(GroupStepDraft draft, GroupState.Paused paused) {
        return switch (paused.from()) {
            case GroupState.RollingBack r ->
                    GroupRollbackAdvancer.findComponentPausedInRollback(draft);
            case GroupState.Running running ->
                    running.stage() == RunningGroupStage.COMPONENT ? running.component() : -1;
        };
    }

    private static boolean hasEndedBadly(GroupStepDraft draft, int index) {
        ComponentRolloutSummary component = draft.view.component(index);
        return component.isFinal()
                && !(component.state() instanceof RolloutState.Completed)
                && !draft.group.skipped().contains(index);
    }

    private static GroupRequestDecision cancel(GroupStepDraft draft, String reason) {
        String sentence = "An operator cancelled it.";
        return switch (draft.state()) {
            case GroupState.Pending pending ->
                    moveGroup(draft, pending.cancel(draft.now), "CANCELLED", sentence, reason);
            case GroupState.Running running ->
                    moveGroup(
                            draft,
                            running.startCancelling(UnsuccessfulGroupEnding.CANCELLED, draft.now),
                            "CANCELLED",
                            sentence,
                            reason);
            case GroupState.Paused paused ->
                    paused.from() instanceof GroupState.RollingBack
                            ? tooLateRefusal(draft)
                            : moveGroupAndResumeComponent(
                                    draft, paused.cancel(draft.now), "CANCELLED", sentence, reason);
            case GroupState.Cancelling c ->
                    new Refused(ALREADY, "The group is being cancelled already.");
            case GroupState.RollingBack r ->
                    new Refused(USE_PAUSE, "The group is rolling back; pause it instead.");
            case GroupState.Ended ended -> endedRefusal(draft);
        };
    }

    private static GroupRequestDecision decideRollback(GroupStepDraft draft, String reason) {
        return switch (draft.state()) {
            case GroupState.Pending p ->
                    new Refused(NOTHING_DONE, "The group has done nothing; cancel it instead.");
            case GroupState.Running running ->
                    startRollback(draft, running.rollBack(draft.now), reason);
            case GroupState.Paused paused ->
                    paused.from() instanceof GroupState.RollingBack
                            ? new Refused(USE_RESUME, "The rollback is paused; resume it.")
                            : startRollback(draft, paused.rollBack(draft.now), reason);
            case GroupState.Cancelling cancelling ->
                    startRollback(draft, cancelling.rollBack(draft.now), reason);
            case GroupState.RollingBack r ->
                    new Refused(ALREADY, "The group is rolling back already.");
            case GroupState.Reversible ended ->
                    draft.view.superseded().isEmpty()
                            ? startRollback(draft, ended.rollBack(draft.now), reason)
                            : new Refused(SUPERSEDED, draft.view.superseded());
            case GroupState.RolledBack r ->
                    new Refused(ALREADY, "The group is rolled back already.");
        };
    }

    private static GroupRequestDecision startRollback(
            GroupStepDraft draft, GroupState.RollingBack next, String reason) {
        return moveGroupAndResumeComponent(
                draft, next, "ROLLBACK", "An operator asked for a rollback.", reason);
    }

    /**
     * A move out of a pause, or of what is under way. What goes back by its own conduct, and rests
     * because the group did, goes on with it.
     */
    private static GroupRequestDecision moveGroupAndResumeComponent(
            GroupStepDraft draft, GroupState next, String code, String sentence, String reason) {
        int resting = findPausedInRollback(draft);
        moveWithReason(draft, next, code, sentence, reason);
        if (resting >= 0) {
            draft.requestComponentOnce(resting, new OperatorRequest.Resume(0));
        }
        return draft.toApplied();
    }

    /** -1 when a pause of the group has stopped nothing on its way back, and will not. */
    private static int findPausedInRollback(GroupStepDraft draft) {
        int index =
                draft.state() instanceof GroupState.Paused paused
                        ? componentToResume(draft, paused)
                        : -1;
        if (index < 0) {
            return -1;
        }
        RolloutState state = draft.view.component(index).state();
        boolean willRest =
                state instanceof RolloutState.RollingBack
                        && draft.requestStatus(index, new OperatorRequest.Pause())
                                instanceof Status.Pending;
        return willRest || GroupRollbackAdvancer.isPausedInRollback(state) ? index : -1;
    }

    private static GroupRequestDecision skip(GroupStepDraft draft, String reason) {
        return switch (draft.state()) {
            case GroupState.Pending p -> new Refused(NOT_STARTED, "The group has not started.");
            case GroupState.Running r ->
                    new Refused(
                            PAUSE_FIRST,
                            "Only a paused group can skip what it stands at; pause it first.");
            case GroupState.Paused paused ->
                    switch (paused.from()) {
                        case GroupState.Running running -> skip(draft, paused, running, reason);
                        case GroupState.RollingBack r -> tooLateRefusal(draft);
                    };
            case GroupState.Cancelling c -> tooLateRefusal(draft);
            case GroupState.RollingBack r -> tooLateRefusal(draft);
            case GroupState.Ended ended -> endedRefusal(draft);
        };
    }

    /** At a gate the gate is passed: what it stands at is given up, whatever that is. */
    private static GroupRequestDecision skip(
            GroupStepDraft draft, GroupState.Paused paused, GroupState.Running at, String reason) {
        int index = at.component();
        if (at.stage() == RunningGroupStage.GATE) {
            return moveGroup(
                    draft,
                    at.startNextComponent(draft.now),
                    "GATE_SKIPPED",
                    "An operator passed the gate after "
                            + draft.component(index).displayName()
                            + ".",
                    reason);
        }
        if (draft.view.component(index).state() instanceof RolloutState.Completed) {
            return new Refused(
                    ALREADY,
                    GroupPlanner.capitalized(draft.component(index).displayName())
                            + " is completed; resume the group.");
        }
        draft.skipComponent(index);
        return moveGroupAndResumeComponent(
                draft,
                paused.resume(draft.now),
                "SKIPPED",
                "An operator skipped " + draft.component(index).displayName() + ".",
                reason);
    }

    private static GroupRequestDecision moveGroup(
            GroupStepDraft draft, GroupState next, String code, String sentence, String reason) {
        moveWithReason(draft, next, code, sentence, reason);
        return draft.toApplied();
    }

    private static void moveWithReason(
            GroupStepDraft draft, GroupState next, String code, String sentence, String reason) {
        draft.moveGroup(next, code, reason.isBlank() ? sentence : sentence + " Reason: " + reason);
    }

    private static Refused tooLateRefusal(GroupStepDraft draft) {
        RefusalCode code = TOO_LATE;
        return new Refused(
                code,
                "The group is " + GroupStateNames.of(draft.state()) + "; it is too late for that.");
    }

    private static Refused endedRefusal(GroupStepDraft draft) {
        RefusalCode code = FINAL;
        return new Refused(
                code, "The group has ended as " + GroupStateNames.of(draft.state()) + ".");
    }
}
