package drover.coordinator.plan.model;

import drover.model.OptionalEnumParser;
import java.util.Optional;

/**
 * Why a rollout is paused. Shown to people, stored, and used as a metric label under these names.
 */
public enum PauseReason {
    /** An operator asked. */
    OPERATOR,
    /** More nodes failed than the threshold allows (invariant A6). */
    FAILURE_THRESHOLD,
    /** A canary node failed; this pauses whatever the threshold. */
    CANARY_FAILED,
    /**
     * Everything else is done; failed nodes need a decision: retry, skip or roll back (invariant
     * A11).
     */
    FAILED_NODES_REMAIN,
    /** The coordinator could not see the fleet for 15 minutes (rule R3). */
    NO_FLEET_VISIBILITY,
    /** No health verdicts were to be had by a node's deadline (rule R3). */
    HEALTH_UNAVAILABLE,
    /** More nodes were offline than the offline budget allows. */
    NODES_OFFLINE,
    /** A node became unhealthy after it had succeeded, whatever the threshold (A22). */
    SUCCEEDED_UNHEALTHY,
    /** More targets than the unhealthy budget allows are unhealthy (A24). */
    TARGETS_UNHEALTHY,
    /** Restored nodes are unhealthy, and the rollback may not continue (A23). */
    RESTORED_UNHEALTHY,
    /** Nobody approved the canary for 7 days. */
    APPROVAL_EXPIRED,
    /**
     * A proven canary node became unwell or went away while approval was awaited, or before the
     * approval led to any work.
     */
    CANARY_UNHEALTHY;

    /** Reason with this name in a history, which may be of a version with earlier names. */
    public static Optional<PauseReason> ofCode(String code) {
        return switch (code) {
            case "BLIND" -> Optional.of(NO_FLEET_VISIBILITY);
            case "CANARY_UNWELL" -> Optional.of(CANARY_UNHEALTHY);
            default -> OptionalEnumParser.byName(PauseReason.class, code);
        };
    }

    /** Whether failed nodes are what it waits for a person about. */
    public boolean isAboutFailures() {
        return this == FAILURE_THRESHOLD
                || this == CANARY_FAILED
                || this == FAILED_NODES_REMAIN
                || this == SUCCEEDED_UNHEALTHY;
    }

    /** Whether an incident of one node reports the pause, and ends with it. */
    public boolean hasIncident() {
        return this == NO_FLEET_VISIBILITY
                || this == HEALTH_UNAVAILABLE
                || this == NODES_OFFLINE
                || this == RESTORED_UNHEALTHY;
    }

    /** Whether resuming needs the operator to say how many failures are accepted. */
    public boolean needsAcknowledgement() {
        return this == FAILURE_THRESHOLD || this == CANARY_FAILED || this == SUCCEEDED_UNHEALTHY;
    }
}
