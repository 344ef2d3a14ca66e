package drover.coordinator.plan.group;

import drover.coordinator.plan.observed.Cause;
import drover.model.GroupId;

/** Says, in one typed reason, why a group is where it is and what it waits for. */
public final class GroupExplainer {
    private GroupExplainer() {}

    /** What holds now, from the group alone. */
    public static Cause explain(RolloutGroup group) {
        return switch (group.state()) {
            case GroupState.Pending p -> new Cause("NOT_STARTED", "It waits to be started.");
            case GroupState.Running running -> runningReason(group, running);
            case GroupState.Paused paused -> pauseReason(group, paused);
            case GroupState.Cancelling c ->
                    new Cause(
                            "CANCELLING",
                            "It waits for its components to end; one that is paused on its way back"
                                    + " goes on when you resume the group.");
            case GroupState.RollingBack r ->
                    new Cause("ROLLING_BACK", "Its components are rolled back, the last first.");
            case GroupState.Completed c -> new Cause("COMPLETED", "Every component is completed.");
            case GroupState.Partial p ->
                    new Cause(
                            "PARTIAL",
                            "Some components are completed, others are not; they stay as they are"
                                    + " until you roll the group back.");
            case GroupState.Failed(GroupFailureReason reason, var since) -> failedReason(reason);
            case GroupState.Cancelled c ->
                    new Cause("CANCELLED", "It was cancelled; what is upgraded stays upgraded.");
            case GroupState.RolledBack r ->
                    new Cause("ROLLED_BACK", "Every component that was begun is rolled back.");
        };
    }

    private static Cause runningReason(RolloutGroup group, GroupState.Running running) {
        GroupComponent component = group.component(running.component());
        return switch (running.stage()) {
            case COMPONENT ->
                    new Cause(
                            "COMPONENT",
                            GroupPlanner.capitalized(component.displayName())
                                    + " of "
                                    + group.spec().components().size()
                                    + " is under way; see rollout "
                                    + component.rollout()
                                    + ".");
            case GATE ->
                    new Cause(
                            "GATE",
                            "After "
                                    + component.displayName()
                                    + " all programs of all nodes are looked at.");
        };
    }

    private static Cause pauseReason(RolloutGroup group, GroupState.Paused paused) {
        String part = pausedPart(group, paused);
        String sentence =
                switch (paused.reason()) {
                    case OPERATOR -> "An operator paused it.";
                    case COMPONENT_FAILED ->
                            GroupPlanner.capitalized(part) + " failed: " + readAbout(group, paused);
                    case COMPONENT_PAUSED ->
                            GroupPlanner.capitalized(part) + " paused: " + readAbout(group, paused);
                    case GATE_UNHEALTHY ->
                            "After " + part + " a program is unhealthy: repair its node.";
                    case GATE_UNKNOWN ->
                            "After " + part + " not every program had a health verdict in time.";
                    case COMPONENT_REQUEST_REFUSED ->
                            GroupPlanner.capitalized(part) + " refused the group's request.";
                };
        return new Cause(paused.reason().name(), sentence + " " + choices(group, paused));
    }

    private static String pausedPart(RolloutGroup group, GroupState.Paused paused) {
        return paused.from() instanceof GroupState.Running running
                ? group.component(running.component()).displayName()
                : "the rollback";
    }

    private static String readAbout(RolloutGroup group, GroupState.Paused paused) {
        return paused.from() instanceof GroupState.Running running
                ? "read 'drover rollout why "
                        + group.component(running.component()).rollout()
                        + "'."
                : "read 'drover group status " + group.id() + "'.";
    }

    /** The commands that continue a paused group; a rollback has no component to skip. */
    private static String choices(RolloutGroup group, GroupState.Paused paused) {
        String resume = "Resume the group (drover group resume " + group.id() + ")";
        boolean upgrading = paused.from() instanceof GroupState.Running;
        if (!upgrading || paused.reason() == GroupPauseReason.OPERATOR) {
            return resume + ".";
        }
        return resume
                + ", continue without the component ("
                + skipCommand(group.id())
                + "), or roll the group back (drover group rollback "
                + group.id()
                + ")."
                + (paused.reason() == GroupPauseReason.COMPONENT_FAILED
                        ? " A component that has ended cannot be resumed."
                        : "");
    }

    /** The command that gives up the component at which a group is paused. */
    static String skipCommand(GroupId group) {
        return "drover group skip " + group;
    }

    private static Cause failedReason(GroupFailureReason reason) {
        return new Cause(
                reason.name(),
                switch (reason) {
                    case COMPONENT_FAILED ->
                            "A component failed and none is completed; what it upgraded stays until"
                                    + " you roll the group back.";
                    case ROLLBACK_INCOMPLETE ->
                            "A component could not be rolled back wholly, and those before it were"
                                    + " left; look at its rollout, then roll the group back again.";
                    case NEVER_STARTED -> "Nobody started it within 24 hours.";
                });
    }
}
