package drover.coordinator.election;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Elects whoever holds a lease: campaigns for it, asks for more of it in time, looks every second
 * whether it is still there, and gives it up in the end. Fails closed: without an answer it counts
 * as lost before it could be another's. Whom the store does not answer leaves the campaign, and
 * comes back when it does.
 */
public final class LeaseElector implements LeaderElector {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseElector.class);
    private static final Duration RESIGNING =
            Duration.ofSeconds(5); // whoever takes longer loses the lease by its end
    private static final Duration WITHIN =
            Duration.ofSeconds(2); // a question that is answered is answered by then

    private final Lease.Factory source;
    private final DatabaseProbe databaseProbe;
    private final LeaseDeadlineCalculator terms;
    private final LongSupplier nanos;
    private final LeaseMonitor leaseMonitor;
    private final AtomicReference<@Nullable Thread> campaign = new AtomicReference<>();
    private final CountDownLatch closing = new CountDownLatch(1);
    private boolean answered = true;
    private long requestedNanos; // for what was granted last

    /**
     * An elector whose leases are granted by the store itself.
     *
     * @param ttl how long the leases of this source are
     */
    public LeaseElector(Lease.Factory source, Duration ttl) {
        this(source, ttl, DatabaseProbe.alwaysReachable());
    }

    /**
     * An elector whose leases are granted by another than the store.
     *
     * @param reach the store; closed with the elector
     */
    public LeaseElector(Lease.Factory source, Duration ttl, DatabaseProbe reach) {
        this(source, ttl, reach, System::nanoTime);
    }

    LeaseElector(Lease.Factory source, Duration ttl, DatabaseProbe reach, LongSupplier nanos) {
        this.source = source;
        this.databaseProbe = reach;
        this.terms = new LeaseDeadlineCalculator(ttl);
        this.nanos = nanos;
        this.leaseMonitor = new LeaseMonitor(terms, nanos);
    }

    @Override
    public void campaign(String candidate, Listener listener) {
        leaseMonitor.start(listener);
        Thread thread = Thread.ofVirtual().name("campaign").unstarted(() -> run(candidate));
        campaign.set(thread);
        thread.start();
    }

    private void run(String candidate) {
        try (DatabaseProbeLoop store = DatabaseProbeLoop.start(databaseProbe, terms, nanos)) {
            while (!isClosed()) {
                if (store.isReachable()) {
                    campaignWhileReachable(candidate, store);
                } else {
                    pause();
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("This candidate gives up coordinatorId={}", candidate);
        }
    }

    /** Campaigns until it is closed, or until the store is away from it. */
    private void campaignWhileReachable(String candidate, DatabaseProbeLoop store)
            throws InterruptedException {
        try (Lease lease = source.openFor(candidate)) {
            while (!isClosed() && !store.mustLeaveCampaign(leaseMonitor.isHeld())) {
                poll(lease);
                if (answered && !leaseMonitor.isHeld()) {
                    lease.awaitAvailable(terms.pollInterval()); // hears at once that it may have it
                } else {
                    pause();
                }
            }
            reportLost();
        }
    }

    /** Before the lease is given up: whoever has it next finds nobody who believes to lead. */
    private void reportLost() {
        if (!isClosed()) {
            LOG.warn(
                    "The database does not answer this coordinator; it campaigns again when it does"
                            + " elected={}",
                    leaseMonitor.isHeld());
            leaseMonitor.recordLoss();
        }
    }

    private void pause() throws InterruptedException {
        var _ = closing.await(terms.pollInterval().toNanos(), TimeUnit.NANOSECONDS);
    }

    private void poll(Lease lease) {
        long now = nanos.getAsLong();
        try {
            if (leaseMonitor.isHeld() && !terms.isRenewalDue(requestedNanos, now)) {
                recordLossIfNotHeld(lease);
            } else {
                acquireOrRenew(lease, now);
            }
            logAvailabilityChange(null);
        } catch (LeaseUnavailable e) {
            logAvailabilityChange(
                    e); // the mandate ends by the clock, unless there is an answer before
        }
    }

    private void recordLossIfNotHeld(Lease lease) {
        if (!lease.checkHeld()) {
            leaseMonitor.recordLoss();
        }
    }

    private void acquireOrRenew(Lease lease, long now) {
        if (lease.acquireOrRenew()) {
            requestedNanos = now;
            leaseMonitor.recordGrant(now);
        } else {
            leaseMonitor.recordLoss();
        }
    }

    private boolean isClosed() {
        return closing.getCount() == 0;
    }

    /** Says once that nobody answers, and once that somebody does again. */
    private void logAvailabilityChange(@Nullable LeaseUnavailable failure) {
        if (isClosed() || answered == (failure == null)) {
            return;
        }
        answered = failure == null;
        if (failure != null) {
            LOG.warn("No answer about the lease; trying again reason={}", failure.getMessage());
        } else {
            LOG.info("There is an answer about the lease again");
        }
    }

    @Override
    public boolean isElected() {
        return leaseMonitor.isHeld();
    }

    @Override
    public void close() {
        boolean held = leaseMonitor.isHeld();
        leaseMonitor.close(); // before it resigns: another one is elected in the same moment
        closing.countDown();
        Thread thread = campaign.get();
        if (thread != null) {
            stopThread(thread, held ? WITHIN : Duration.ZERO);
        }
    }

    /** Whoever leads rests, and hears of it; an interrupt would cost it the connection it has. */
    private static void stopThread(Thread thread, Duration byItself) {
        try {
            if (thread.join(byItself)) {
                return;
            }
            thread.interrupt(); // whatever it waits for
            if (!thread.join(RESIGNING)) {
                LOG.warn("The lease could not be given up in time; it ends by itself");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
