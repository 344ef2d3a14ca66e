package drover.coordinator.plan.incident;

import drover.model.OptionalEnumParser;

/** What an incident is about (seed 000, Incident Categories). */
public enum IncidentCategory {
    /** An upgrade failed, and so did the way back. */
    UPGRADE_FAILED,
    /** A rollback could not bring back a node on which the target had been installed. */
    UPGRADE_ROLLBACK_FAILED,
    /**
     * The node showed life, but was not well within its time; or its rollout paused because it, all
     * nodes or whoever judges them could not be seen or heard.
     */
    UPGRADE_STALLED,
    /** A node that a rollout modified, restored or was about to modify is unhealthy. */
    NODE_UNHEALTHY,
    /** A program falls again and again although no upgrade is under way. */
    CRASH_LOOP,
    /** Something on the node was changed without an upgrade. */
    DRIFT,
    /** An old agent waits for its successor, or the successor for its end, for too long. */
    AGENT_HANDOVER_STALLED,
    /** An agent does not believe that what it is sent comes from a coordinator. */
    COMMAND_REJECTED,
    /** The identity of a node was in use at two places, so that it is locked. */
    IDENTITY_CLONED,
    /** The credential of a node is shown by an agent that takes itself for another. */
    IDENTITY_MISMATCH,
    /** An agent sends messages with values outside their limits. */
    AGENT_MESSAGE_REJECTED,
    /** An agent cannot record attempts, because its disk is full, read-only or fails. */
    AGENT_DISK_FAULT,
    /** What a later version opened; nothing here knows what it is about, and nothing opens it. */
    UNKNOWN;

    /** What a word in the table of incidents is about. */
    public static IncidentCategory of(String word) {
        return OptionalEnumParser.byLowerCaseName(IncidentCategory.class, word).orElse(UNKNOWN);
    }

    /** Whether the node is not what it should be while such an incident stands. */
    public boolean degradesNode() {
        return this == UPGRADE_FAILED
                || this == UPGRADE_ROLLBACK_FAILED
                || this == NODE_UNHEALTHY
                || this == CRASH_LOOP;
    }

    /**
     * Whether it stands for as long as the node's agent or the gateways say so, and is over by
     * itself when they are known not to.
     */
    public boolean isOpenWhileReported() {
        return this == CRASH_LOOP
                || this == DRIFT
                || this == COMMAND_REJECTED
                || this == IDENTITY_CLONED
                || this == IDENTITY_MISMATCH
                || this == AGENT_MESSAGE_REJECTED
                || this == AGENT_DISK_FAULT;
    }
}
