package drover.coordinator.election;

import java.time.Duration;

/**
 * A lease that one candidate at a time can have, as one candidate sees it. Used by one thread.
 *
 * <p>What asks ends with an answer or with {@link LeaseUnavailable}, at once when the thread is
 * interrupted. It may take long: whoever counts on the lease has a clock of its own.
 */
public interface Lease extends AutoCloseable {
    /**
     * Asks for it, or for its whole length again.
     *
     * @return whether this candidate has it, counted from the call
     */
    boolean acquireOrRenew();

    /** Whether this candidate still has it, says who grants it. Makes it no longer. */
    boolean checkHeld();

    /** Waits this long, or less when it seems to have become free. */
    void awaitAvailable(Duration atMost) throws InterruptedException;

    /** Gives it up, if it is held and can be: otherwise it ends by itself. Never throws. */
    @Override
    void close();

    /** Opens one for a candidate; asks nobody yet. */
    interface Factory {
        /** The lease as this candidate sees it. */
        Lease openFor(String candidate);
    }
}
