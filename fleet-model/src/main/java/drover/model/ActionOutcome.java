package drover.model;

/** How one action of an attempt stands. */
public enum ActionOutcome {
    /** Under way. */
    RUNNING,
    /** Done by this attempt. */
    DONE,
    /** Was already so; nothing was changed. */
    ALREADY_DONE,
    /** Failed. */
    FAILED,
    /** Undone after a failure. */
    COMPENSATED
}
