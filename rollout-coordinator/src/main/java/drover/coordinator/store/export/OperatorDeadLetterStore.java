package drover.coordinator.store.export;

import drover.coordinator.store.sql.StoreUnavailable;
import java.util.Collection;

/** Dead letters, with what operators request about them. Throws {@link StoreUnavailable}. */
public interface OperatorDeadLetterStore extends DeadLetterViews {
    /**
     * Requests that the leader sends dead letters of a receiver again, and returns how many.
     *
     * @param events ids of events; empty for all of the receiver
     */
    int requestRetry(String sink, Collection<String> events, String actor);
}
