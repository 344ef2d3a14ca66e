package drover.coordinator.plan.group;

/** Why a group failed. */
public enum GroupFailureReason {
    /** A component failed and none was completed. */
    COMPONENT_FAILED,
    /** Some component could not be rolled back wholly. */
    ROLLBACK_INCOMPLETE,
    /** Nobody started it in time. */
    NEVER_STARTED
}
