package drover.coordinator.election;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Asks the store every round, in a thread of its own, so that no question to it keeps a candidate
 * from asking for its lease; what follows from the answers, {@link LeaseDeadlineCalculator} says.
 */
final class DatabaseProbeLoop implements AutoCloseable {
    private static final Duration ENDING = Duration.ofSeconds(1); // it only gives a connection back

    private final DatabaseProbe reach;
    private final LeaseDeadlineCalculator terms;
    private final LongSupplier nanos;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;
    private volatile ReachableAndLastResponse last;

    /**
     * What was heard last.
     *
     * @param now whether the last question was answered
     * @param nanos when one was answered last, by the monotonic clock
     */
    private record ReachableAndLastResponse(boolean now, long nanos) {}

    private DatabaseProbeLoop(
            DatabaseProbe reach, LeaseDeadlineCalculator terms, LongSupplier nanos) {
        this.reach = reach;
        this.terms = terms;
        this.nanos = nanos;
        this.last = new ReachableAndLastResponse(reach.checkReachable(), nanos.getAsLong());
        this.thread = Thread.ofVirtual().name("store-watch").unstarted(this::run);
    }

    /** Asks once, and then again and again. */
    static DatabaseProbeLoop start(
            DatabaseProbe reach, LeaseDeadlineCalculator terms, LongSupplier nanos) {
        DatabaseProbeLoop watch = new DatabaseProbeLoop(reach, terms, nanos);
        watch.thread.start();
        return watch;
    }

    private void run() {
        try (reach) {
            while (!closing.await(terms.pollInterval().toNanos(), TimeUnit.NANOSECONDS)) {
                last =
                        reach.checkReachable()
                                ? new ReachableAndLastResponse(true, nanos.getAsLong())
                                : new ReachableAndLastResponse(false, last.nanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    /** Whether a candidate may begin to campaign: the store answered it just now. */
    boolean isReachable() {
        return last.now() && !mustLeaveCampaign(false);
    }

    /** Whether a candidate must leave the campaign. */
    boolean mustLeaveCampaign(boolean elected) {
        return terms.mustLeaveCampaign(elected, last.nanos(), nanos.getAsLong());
    }

    @Override
    public void close() {
        closing.countDown();
        thread.interrupt();
        boolean interrupted = Thread.interrupted(); // or the connection would not be waited for
        try {
            var _ = thread.join(ENDING);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
