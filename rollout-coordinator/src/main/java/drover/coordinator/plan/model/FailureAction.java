package drover.coordinator.plan.model;

/** What a rollout does when failures stop it. */
public enum FailureAction {
    /** It waits for a person. */
    PAUSE,
    /** It brings every touched node back by itself. */
    ROLLBACK
}
