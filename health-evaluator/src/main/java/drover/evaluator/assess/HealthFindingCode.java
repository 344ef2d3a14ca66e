package drover.evaluator.assess;

/** Stable code of a finding; the same as in the contract. */
public enum HealthFindingCode {
    /** The soak time has not passed. */
    SOAKING,
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
    /** No heartbeat within the timeout of the policy. */
    NO_HEARTBEAT,
    /** Heartbeats come, but of another attempt. */
    OTHER_ATTEMPT,
    /** The agent is not connected. */
    NODE_OFFLINE,
    /** The watch itself cannot be judged by: it is incomplete, or a later version's. */
    WATCH_REFUSED
}
