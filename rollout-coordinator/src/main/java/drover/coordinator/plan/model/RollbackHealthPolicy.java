package drover.coordinator.plan.model;

/**
 * What a rollback does about the health of the nodes that it restored (A23). Declared when the
 * rollout is created; the request for the rollback may override it.
 */
public enum RollbackHealthPolicy {
    /**
     * Each batch waits until its nodes are healthy. A node that is not healthy by the health
     * deadline pauses the rollback.
     */
    WAIT,
    /** As {@link #WAIT}, but the first unhealthy node pauses the rollback at once. */
    ASK,
    /**
     * A batch follows as soon as the one before is verified. An unhealthy node opens an incident;
     * the rollback ends when the health of each restored node is known, or its deadline has passed.
     */
    IGNORE
}
