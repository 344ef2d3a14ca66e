package drover.coordinator.plan.group;

/** How a group ends once nothing of it is under way any more. */
public enum UnsuccessfulGroupEnding {
    /** An operator cancelled it. */
    CANCELLED,
    /** Some components are completed, one is not. */
    PARTIAL,
    /** A component failed and none is completed. */
    FAILED,
    /** Nobody started it in time. */
    NEVER_STARTED
}
