package drover.model;

/** What a node's probes say of synchronisation. */
public enum SyncStatus {
    /** No probe says anything. */
    UNKNOWN,
    /** Up to date. */
    SYNCED,
    /** Catching up; expected after a restart. */
    SYNCING,
    /** Not moving; never healthy. */
    STALLED
}
