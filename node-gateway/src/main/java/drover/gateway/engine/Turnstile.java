package drover.gateway.engine;

import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/** Lets so many agents ask the database at once who they are; whoever comes on top dials again. */
final class Turnstile {
    /** Half a second's work of a small database pool. */
    static final int USUAL = 4_096;

    private final Semaphore places;

    Turnstile(int places) {
        this.places = new Semaphore(places);
    }

    /**
     * Asks, if there is a place.
     *
     * @throws Refused when there is none (invariant I5)
     */
    <T> T pass(Supplier<T> question) {
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
