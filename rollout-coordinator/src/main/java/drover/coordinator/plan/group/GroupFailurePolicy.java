package drover.coordinator.plan.group;

/**
 * What becomes of a group when a component fails or the gate after one finds a program unwell (seed
 * 000, RolloutGroupWorkflow). Required: there is no default.
 */
public enum GroupFailurePolicy {
    /** The failed component stops, completed ones stay, later ones are not begun. */
    PARTIAL_OK,
    /** Everything that was begun is rolled back, in reverse order. */
    ROLLBACK_ALL,
    /** A person decides: resume, roll back, or skip. */
    MANUAL
}
