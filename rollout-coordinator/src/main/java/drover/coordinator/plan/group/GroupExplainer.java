package drover.coordinator.plan.group;

import drover.coordinator.plan.observed.Cause;

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
        boolean upgrading = paused.from() instanceof GroupState.Running;
        String at =
                paused.from() instanceof GroupState.Running running
                        ? group.component(running.component()).displayName()
                        : "the rollback";
        String choice = upgrading ? "resume, skip, or roll back." : "look at it, then resume.";
        String sentence =
                switch (paused.reason()) {
                    case OPERATOR -> "An operator paused it; resume it to go on.";
                    case COMPONENT_FAILED ->
                            capitalizedComponent(at)
                                    + " failed; look at its rollout, then "
                                    + choice;
                    case COMPONENT_PAUSED ->
                            capitalizedComponent(at)
                                    + " paused; look at its rollout, then "
                                    + choice;
                    case GATE_UNHEALTHY ->
                            "After " + at + " a program is unwell; look at it, then " + choice;
                    case GATE_UNKNOWN ->
                            "After " + at + " not every program was judged in time; " + choice;
                    case COMPONENT_REQUEST_REFUSED ->
                            capitalizedComponent(at) + " refused what the group asked; " + choice;
                };
        return new Cause(paused.reason().name(), sentence);
    }

    private static String capitalizedComponent(String at) {
        return GroupPlanner.capitalized(at);
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
