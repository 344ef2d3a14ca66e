package drover.coordinator.election;

import static org.awaitility.Awaitility.await;

import drover.coordinator.Waits;
import java.time.Duration;

/**
 * A candidate for a lease of an hour. A test advances its clock from one renewal to the next, so
 * that a stall of the machine never ends the lease.
 */
final class LongLease {
    /** A lease that ends in no test: a change has another cause. */
    static final Duration NEVER = Duration.ofHours(1);

    /** Between the third of the lease, when its renewal is due, and the four fifths that count. */
    static final Duration STEP = Duration.ofMinutes(25);

    private final AdvancedClock clock = new AdvancedClock();
    private final CountedLeases leases;
    private final LeaseElector elector;

    LongLease(Lease.Factory source, DatabaseProbe reach) {
        leases = new CountedLeases(source);
        elector = new LeaseElector(leases, NEVER, reach, clock);
    }

    LeaseElector elector() {
        return elector;
    }

    void advance() {
        clock.advance(STEP);
    }

    /** Waits until a renewal has failed; the elector repeats it every second. */
    void awaitFailure() {
        int before = leases.failed();
        await().atMost(Waits.LIMIT).until(() -> leases.failed() > before);
    }

    /** Advances the clock and waits until the lease is renewed. */
    void renew() {
        renewAfter(this::advance);
    }

    /** Waits until the lease is renewed after this change. */
    void renewAfter(Runnable change) {
        int before = leases.granted();
        change.run();
        await().atMost(Waits.LIMIT).until(() -> leases.granted() > before);
    }
}
