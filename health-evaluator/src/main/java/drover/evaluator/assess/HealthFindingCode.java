package drover.evaluator.assess;

/** Stable code of a finding; the same as in the contract. */
public enum HealthFindingCode {
    /** The hold is not over. */
    HOLD,
    /** The program is not up, or not the run that counts. */
    NOT_RUNNING,
    /** Application health is critical, or became so again and again. */
    APPLICATION_CRITICAL,
    /** Synchronisation is stalled, or became so again and again. */
    SYNC_STALLED,
    /** Too many restarts within the attempt. */
    CRASH_LOOP,
    /** Another digest runs than the target. */
    WRONG_DIGEST,
    /** Configuration differs from the target. */
    WRONG_CONFIG,
    /** No heartbeat for the silence of the policy. */
    SILENT,
    /** Heartbeats come, but of another attempt. */
    OTHER_ATTEMPT,
    /** The agent is not connected. */
    GONE,
    /** The watch itself cannot be judged by: it is incomplete, or a later version's. */
    WATCH_REFUSED
}
