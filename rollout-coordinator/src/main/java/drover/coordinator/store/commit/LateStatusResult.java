package drover.coordinator.store.commit;

/** Result of storing a status that arrived after its rollout had ended. */
public enum LateStatusResult {
    /** The status is stored now. */
    WRITTEN,
    /** The status is stored now, and it clears its node. */
    CLEARED,
    /** The same or a later status was stored before. */
    KNOWN,
    /** The attempt is not in the table: the database is older, or belongs to another deployment. */
    UNKNOWN,
    /** The rollout is in progress: its own loop applies the status (rule R4). */
    NOT_ENDED,
    /** Another leader has taken over: step down. */
    STALE_EPOCH
}
