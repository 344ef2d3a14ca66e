package drover.coordinator.plan.model;

/** Why a node is left alone. */
public enum SkipReason {
    /** It runs the target already, configuration included. */
    ALREADY_THERE,
    /** It runs neither the source nor the target (invariant D9). */
    DRIFTED,
    /** It was not connected when its turn came, nor at the end (invariant A7). */
    OFFLINE,
    /** Another rollout has work open on it (invariant A4). */
    OTHER_ROLLOUT,
    /** An earlier upgrade could not be undone; a person must clear it (invariant D14). */
    FAILED_ROLLBACK,
    /** An operator held it until everything else was done. */
    HELD,
    /** Its runtime is not the profile's. */
    WRONG_RUNTIME,
    /** Its agent lacks a feature that the work needs. */
    UNSUPPORTED,
    /** An operator skipped it. */
    OPERATOR,
    /** Its machine was retired after the rollout had modified it (R1). */
    RETIRED
}
