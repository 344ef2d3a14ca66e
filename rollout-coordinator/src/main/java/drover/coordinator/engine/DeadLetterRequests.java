package drover.coordinator.engine;

import drover.coordinator.store.DeadLetters;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.Collection;

/** Requests of operators to send rejected events again. */
public final class DeadLetterRequests {
    private final DeadLetters letters;

    /** Requests about these. */
    public DeadLetterRequests(DeadLetters letters) {
        this.letters = letters;
    }

    /**
     * Requests that the leader sends dead letters again, and returns how many.
     *
     * @param events ids of events; empty for all of the receiver
     */
    public int retry(String sink, Collection<String> events, String actor) {
        if (sink.isEmpty()) {
            throw new Refused(RefusalCode.MISSING_FIELD, "Name the receiver in sink.", "sink");
        }
        return letters.retry(sink, events, actor);
    }
}
