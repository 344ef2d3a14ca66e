package drover.coordinator.store.incident;

import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentSeverity;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.NodeId;
import drover.model.OptionalEnumParser;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Incidents as people read them, at any replica. All methods throw {@link StoreUnavailable}. */
public interface IncidentViews {
    /**
     * Incidents, newest first. One that a later version opened stands among them, with {@code
     * UNKNOWN} for every word that this one does not have.
     */
    List<Incident> list(Query query);

    /** One incident. */
    Optional<Incident> find(UUID id);

    /** How many incidents of these nodes nobody has resolved; nodes without any are left out. */
    Map<NodeId, UnresolvedAndDegradingCounts> countUnresolvedByNode(Collection<NodeId> nodes);

    /** How many incidents of a rollout nobody has resolved. */
    int countUnresolved(RolloutId rollout);

    /**
     * Which incidents.
     *
     * @param state null for all
     * @param category null for all
     * @param node empty for all
     * @param rollout null for all
     * @param after continues after this one; null from the newest
     */
    record Query(
            @Nullable State state,
            @Nullable IncidentCategory category,
            String node,
            @Nullable RolloutId rollout,
            @Nullable UUID after,
            int limit) {}

    /** Where an incident stands. */
    enum State {
        /** Nobody has looked yet. */
        OPEN,
        /** Somebody looks after it. */
        ACKNOWLEDGED,
        /** Over. */
        RESOLVED,
        /** Where only a later version knows; it is left there. */
        UNKNOWN;

        /** Where a word in the table of incidents says that it stands. */
        static State of(String word) {
            return OptionalEnumParser.byLowerCaseName(State.class, word).orElse(UNKNOWN);
        }
    }

    /** Who did something, when, and what they said. */
    record Note(String by, Instant at, String text) {}

    /**
     * An incident.
     *
     * @param rollout null when none is concerned
     * @param acknowledged null while nobody looks after it
     * @param resolved null while it stands
     */
    record Incident(
            UUID id,
            IncidentCategory category,
            IncidentSeverity severity,
            State state,
            NodeId node,
            @Nullable RolloutId rollout,
            Cause because,
            String recoveryPlan,
            Instant openedAt,
            @Nullable Note acknowledged,
            @Nullable Note resolved) {}

    /**
     * What nobody has resolved of a node.
     *
     * @param degrading those that say that the node is not what it should be
     */
    record UnresolvedAndDegradingCounts(int all, int degrading) {}
}
