package drover.coordinator.engine.request;

import drover.coordinator.store.export.OperatorDeadLetterStore;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.Collection;

/** Requests of operators to send rejected events again. */
public final class DeadLetterRetryRequester {
    private final OperatorDeadLetterStore letters;

    /** Requests about these. */
    public DeadLetterRetryRequester(OperatorDeadLetterStore letters) {
        this.letters = letters;
    }

    /**
     * Requests that the leader sends dead letters again, and returns how many.
     *
     * @param events ids of events; empty for all of the receiver
     */
    public int requestRetry(String sink, Collection<String> events, String actor) {
        if (sink.isEmpty()) {
            throw new Refused(RefusalCode.MISSING_FIELD, "Name the receiver in sink.", "sink");
        }
        return letters.requestRetry(sink, events, actor);
    }
}
