package drover.coordinator.plan.group;

/** What a running group does with the component it is at. */
public enum RunningGroupStage {
    /** Its rollout goes through its nodes. */
    COMPONENT,
    /** It is completed; all programs of all nodes are looked at before the next one. */
    GATE
}
