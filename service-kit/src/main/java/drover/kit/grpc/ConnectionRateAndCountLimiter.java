package drover.kit.grpc;

import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rate limiter of new connections to an endpoint, and limit of open ones, in total and of one
 * source. A connection over a limit is closed before its handshake, so that handshakes that started
 * finish in time (invariants I1, I5).
 */
public final class ConnectionRateAndCountLimiter {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionRateAndCountLimiter.class);

    /**
     * Burst after a quiet time, in seconds of the rate. It is far shorter than the deadline of a
     * handshake, so that the last connection of a burst does not time out while it waits.
     */
    static final int BURST_SECONDS = 3;

    private static final long LOG_INTERVAL_NANOS = Duration.ofSeconds(10).toNanos();

    private final String endpoint;
    private final PerSourceRateLimiter rate;
    private final PerSourceConnectionLimit share;
    private final LongSupplier nanoTime;
    private final Runnable rejected;
    private final Map<String, Integer> openPerSource = new HashMap<>(); // sources with open ones
    private int open;
    private final AtomicLong nextLogNanos; // earliest time of the next log line

    /**
     * By a monotonic clock.
     *
     * @param endpoint its name in the log
     * @param rejected runs for each rejected connection
     */
    ConnectionRateAndCountLimiter(
            String endpoint, ConnectionLimits limits, LongSupplier nanoTime, Runnable rejected) {
        this.endpoint = endpoint;
        this.rate =
                new PerSourceRateLimiter(
                        toRate(limits.connectionsPerSecond()),
                        toRate(limits.connectionsPerSecondPerSource()),
                        nanoTime);
        this.share =
                new PerSourceConnectionLimit(
                        limits.maxConnections(), InetAddress::isLoopbackAddress);
        this.nanoTime = nanoTime;
        this.rejected = rejected;
        this.nextLogNanos = new AtomicLong(nanoTime.getAsLong());
    }

    private static PerSourceRateLimiter.Rate toRate(int perSecond) {
        return new PerSourceRateLimiter.Rate(
                Duration.ofSeconds(1).dividedBy(perSecond), (long) BURST_SECONDS * perSecond);
    }

    /** Whether a connection from this address is within the rate; never waits. */
    public boolean tryAcquire(InetAddress address) {
        String source = PerSourceRateLimiter.sourceKey(address);
        if (rate.tryAcquire(source)) {
            return true;
        }
        reportRejected(source);
        return false;
    }

    /**
     * As {@link #tryAcquire}, and counts it as open when there is room.
     *
     * @return whether to keep it; then {@link #onClosed} follows at its end
     */
    boolean tryOpen(InetAddress address) {
        String source = PerSourceRateLimiter.sourceKey(address);
        if (!tryCount(address, source)) {
            reportRejected(source);
            return false;
        }
        if (!tryAcquire(address)) {
            onClosed(address);
            return false;
        }
        return true;
    }

    private synchronized boolean tryCount(InetAddress address, String source) {
        if (open >= share.maxConnections()
                || !share.allows(address, () -> openPerSource.getOrDefault(source, 0))) {
            return false;
        }
        open++;
        openPerSource.merge(source, 1, Integer::sum);
        return true;
    }

    /** One connection that was kept has ended. */
    synchronized void onClosed(InetAddress address) {
        open--;
        openPerSource.computeIfPresent(
                PerSourceRateLimiter.sourceKey(address),
                (_, count) -> count == 1 ? null : count - 1);
    }

    private void reportRejected(String source) {
        rejected.run();
        long now = nanoTime.getAsLong();
        long due = nextLogNanos.get();
        if (now - due >= 0 && nextLogNanos.compareAndSet(due, now + LOG_INTERVAL_NANOS)) {
            LOG.warn(
                    "New connections exceed the limit; this was the last one endpoint={} peer={}",
                    endpoint,
                    source);
        }
    }
}
