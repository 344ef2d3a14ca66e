package drover.coordinator.plan.model;

/** Why a rollout failed. */
public enum RolloutFailureReason {
    /** Some touched node could not be proven at what it ran before. */
    ROLLBACK_INCOMPLETE,
    /** Nodes failed and the rollout had been told to go on regardless. */
    NODES_FAILED,
    /** It was not started within 24 hours. */
    NEVER_STARTED,
    /** Every node was skipped, and not each of them because it runs the target already. */
    ALL_NODES_SKIPPED
}
