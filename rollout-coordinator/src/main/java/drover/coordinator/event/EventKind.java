package drover.coordinator.event;

/** What an event can be: the last word of its subject, and the notification that it is. */
public enum EventKind {
    /** A rollout was created. */
    CREATED("created", ""),
    /** It was started. */
    STARTED("started", "rollout_started"),
    /** A batch moved on, or the rollout did within its state. */
    PROGRESS("progress", ""),
    /** Its canary is proven and a person must look. */
    AWAITING_APPROVAL("awaiting_approval", "approval_requested"),
    /** A person approved. */
    APPROVED("approved", ""),
    /** It paused, by itself or because a person asked. */
    PAUSED("paused", "rollout_paused"),
    /** It goes on. */
    RESUMED("resumed", ""),
    /** It is being cancelled. */
    CANCELLING("cancelling", ""),
    /** It is cancelled. */
    CANCELLED("cancelled", ""),
    /** Every target is proven. */
    COMPLETED("completed", "rollout_completed"),
    /** It ended without reaching its aim. */
    FAILED("failed", "rollout_failed"),
    /** Touched nodes are being brought back. */
    ROLLBACK_STARTED("rollback_started", "rollback_initiated"),
    /** Every touched node is proven back. */
    ROLLED_BACK("rolled_back", "rollback_completed"),
    /** Work was given to a node. */
    UPGRADE_STARTED("upgrade_started", ""),
    /** A node is decided: succeeded, failed, failed_rollback or rolled_back. */
    UPGRADE_COMPLETED("upgrade_completed", ""),
    /** The status of a node changed otherwise. */
    UPGRADE_STATUS_CHANGED("upgrade_status_changed", ""),
    /** The phase of an attempt changed. */
    UPGRADE_PHASE_CHANGED("upgrade_phase_changed", ""),
    /** An incident of a node was opened. */
    INCIDENT_OPENED("incident_opened", "incident_opened"),
    /** An incident of a node was resolved, by an operator or because its cause ended. */
    INCIDENT_RESOLVED("incident_resolved", "incident_resolved");

    private final String word;
    private final String notification;

    EventKind(String word, String notification) {
        this.word = word;
        this.notification = notification;
    }

    /** The last word of the subject. */
    public String subjectSuffix() {
        return word;
    }

    /** Name of the notification; empty when it is none. */
    public String notificationName() {
        return notification;
    }

    boolean isNodeEvent() {
        return this == UPGRADE_STARTED
                || this == UPGRADE_COMPLETED
                || this == UPGRADE_STATUS_CHANGED
                || this == UPGRADE_PHASE_CHANGED
                || this == INCIDENT_OPENED
                || this == INCIDENT_RESOLVED;
    }
}
