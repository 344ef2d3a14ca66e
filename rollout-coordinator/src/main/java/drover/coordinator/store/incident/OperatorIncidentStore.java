package drover.coordinator.store.incident;

import drover.coordinator.store.sql.StoreUnavailable;
import drover.coordinator.store.sql.UnreadableRow;
import java.util.UUID;

/**
 * Incidents as people read and answer them; any replica does. Opening and closing is the leader's.
 * All methods throw {@link StoreUnavailable}; what stands where only a later version knows is not
 * answered ({@link UnreadableRow}).
 */
public interface OperatorIncidentStore extends IncidentViews {
    /** Somebody looks after it. */
    UpdateResult acknowledge(UUID id, String actor, String note);

    /** A person says that it is over. */
    UpdateResult resolve(UUID id, String actor, String note);

    /** What became of an answer. */
    sealed interface UpdateResult {
        /** It is written down. */
        record Done(Incident incident) implements UpdateResult {}

        /** There is no such incident. */
        record NotFound() implements UpdateResult {}

        /** It is over already. */
        record AlreadyResolved(Incident incident) implements UpdateResult {}
    }
}
