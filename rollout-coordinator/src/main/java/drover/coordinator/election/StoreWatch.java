package drover.coordinator.election;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Asks the store every round, in a thread of its own, so that no question to it keeps a candidate
 * from asking for its lease; what follows from the answers, {@link LeaseTerms} says.
 */
final class StoreWatch implements AutoCloseable {
    private static final Duration ENDING = Duration.ofSeconds(1); // it only gives a connection back

    private final StoreReach reach;
    private final LeaseTerms terms;
    private final LongSupplier nanos;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread asking;
    private volatile Answer last;

    /**
     * What was heard last.
     *
     * @param now whether the last question was answered
     * @param nanos when one was answered last, by the monotonic clock
     */
    private record Answer(boolean now, long nanos) {}

    private StoreWatch(StoreReach reach, LeaseTerms terms, LongSupplier nanos) {
        this.reach = reach;
        this.terms = terms;
        this.nanos = nanos;
        this.last = new Answer(reach.answers(), nanos.getAsLong());
        this.asking = Thread.ofVirtual().name("store-watch").unstarted(this::run);
    }

    /** Asks once, and then again and again. */
    static StoreWatch start(StoreReach reach, LeaseTerms terms, LongSupplier nanos) {
        StoreWatch watch = new StoreWatch(reach, terms, nanos);
        watch.asking.start();
        return watch;
    }

    private void run() {
        try (reach) {
            while (!closing.await(terms.round().toNanos(), TimeUnit.NANOSECONDS)) {
                last =
                        reach.answers()
                                ? new Answer(true, nanos.getAsLong())
                                : new Answer(false, last.nanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    /** Whether a candidate may begin to campaign: the store answered it just now. */
    boolean answers() {
        return last.now() && !isAway(false);
    }

    /** Whether a candidate must leave the campaign. */
    boolean isAway(boolean elected) {
        return terms.isAway(elected, last.nanos(), nanos.getAsLong());
    }

    @Override
    public void close() {
        closing.countDown();
        asking.interrupt();
        boolean interrupted = Thread.interrupted(); // or the connection would not be waited for
        try {
            var _ = asking.join(ENDING);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
