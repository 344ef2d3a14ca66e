package drover.coordinator.plan.incident;

import drover.model.OptionalEnumParser;

/** How bad an incident is. */
public enum IncidentSeverity {
    /** Look at it by day. */
    WARNING,
    /** The node is not what it should be. */
    MAJOR,
    /** The node needs a person now; nothing automatic helps. */
    CRITICAL,
    /** What a later version wrote down; nothing here knows how bad that is, so it is no warning. */
    UNKNOWN;

    /** How bad a word in the table of incidents says that it is. */
    public static IncidentSeverity of(String word) {
        return OptionalEnumParser.byLowerCaseName(IncidentSeverity.class, word).orElse(UNKNOWN);
    }
}
