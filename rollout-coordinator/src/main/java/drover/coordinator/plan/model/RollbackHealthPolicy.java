package drover.coordinator.plan.model;

/**
 * What a rollback does about the health of the nodes that it restored (A23). Declared when the
 * rollout is created; the request for the rollback may override it.
 */
public enum RollbackHealthPolicy {
    /**
     * Each batch waits until its nodes are healthy, at most for the health deadline. The rollback
     * then continues while fewer restored nodes than the batch size are unhealthy, and pauses
     * otherwise.
     */
    WAIT,
    /** As {@link #WAIT}, but one unhealthy node pauses the rollback at the deadline. */
    ASK,
    /** A batch follows as soon as the one before is verified. */
    IGNORE
}
