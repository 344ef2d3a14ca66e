package drover.model;

/** What a node's probes say of the application. */
public enum ApplicationHealth {
    /** No probe says anything yet. */
    UNKNOWN,
    /** Well. */
    OK,
    /** Impaired; tolerated while settling (seed 000, relaxed criteria). */
    DEGRADED,
    /** Bad; never healthy. */
    CRITICAL
}
