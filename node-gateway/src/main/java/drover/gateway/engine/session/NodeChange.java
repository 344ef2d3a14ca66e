package drover.gateway.engine.session;

/** What changed on a node. */
public enum NodeChange {
    /** A session came or went. */
    SESSION,
    /** A later status, or its acknowledgement. */
    STATUS,
    /** A heartbeat. */
    HEARTBEAT,
    /** What is on the node. */
    INVENTORY,
    /** Health level of a program. */
    HEALTH,
    /** What its agent noticed by itself. */
    FINDINGS,
    /** The second agent of the node came, went, or said something else of itself. */
    STANDBY,
    /** What a preflight found on it. */
    PREFLIGHT
}
