package drover.gateway.engine.limit;

import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/** Lets so many agents ask the database at once who they are; whoever comes on top dials again. */
public final class CredentialLookupConcurrencyLimit {
    /** Half a second's work of a small database pool. */
    public static final int DEFAULT_LIMIT = 4_096;

    private final Semaphore places;

    public CredentialLookupConcurrencyLimit(int places) {
        this.places = new Semaphore(places);
    }

    /**
     * Asks, if there is a place.
     *
     * @throws Refused when there is none (invariant I5)
     */
    public <T> T runOrRefuse(Supplier<T> question) {
        if (!places.tryAcquire()) {
            throw new Refused(
                    RefusalCode.OVERLOADED,
                    "Too many agents dial at once; dial again with full jitter.");
        }
        try {
            return question.get();
        } finally {
            places.release();
        }
    }
}
