package drover.coordinator.store;

import java.util.UUID;

/**
 * Incidents as people read and answer them; any replica does. Opening and closing is the leader's.
 * All methods throw {@link StoreUnavailable}; what stands where only a later version knows is not
 * answered ({@link UnreadableRow}).
 */
public interface IncidentStore extends IncidentViews {
    /** Somebody looks after it. */
    Answered acknowledge(UUID id, String actor, String note);

    /** A person says that it is over. */
    Answered resolve(UUID id, String actor, String note);

    /** What became of an answer. */
    sealed interface Answered {
        /** It is written down. */
        record Done(Incident incident) implements Answered {}

        /** There is no such incident. */
        record Unknown() implements Answered {}

        /** It is over already. */
        record Over(Incident incident) implements Answered {}
    }
}
