package drover.coordinator.plan;

/** How bad an incident is. */
public enum IncidentSeverity {
    /** Look at it by day. */
    WARNING,
    /** The node is not what it should be. */
    MAJOR,
    /** The node needs a person now; nothing automatic helps. */
    CRITICAL
}
