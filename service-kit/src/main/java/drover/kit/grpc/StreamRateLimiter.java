package drover.kit.grpc;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Rate limiter of one agent's stream: token buckets for messages and bytes. The gateway delays
 * reading from an agent over its limit, so that flow control slows down this agent and no other.
 */
public final class StreamRateLimiter {
    private static final long SECOND = 1_000_000_000L;

    private final TokenBucket messages;
    private final TokenBucket bytes;
    private final LongSupplier nanoTime;

    /**
     * Limits of an agent's stream, and of the streams that it starts.
     *
     * @param messages messages per second
     * @param bytes bytes per second
     * @param calls calls per second of one node, each of which queries the database
     */
    public record Limits(int messages, int bytes, int calls) {
        private static final int BURST = 10; // seconds of the rate

        /**
         * An agent sends a heartbeat every few seconds and a status at each step. It reconnects at
         * a random time within a minute, and renews its certificate every few hours.
         */
        public static final Limits STANDARD = new Limits(20, 64 * 1024, 1);

        /** Limiter of the calls of each node. The burst is ten times the rate. */
        public PerSourceRateLimiter createCallLimiter(LongSupplier nanoTime) {
            Duration each = Duration.ofSeconds(1).dividedBy(calls);
            return PerSourceRateLimiter.perSourceOnly(
                    new PerSourceRateLimiter.Rate(each, (long) calls * BURST), nanoTime);
        }
    }

    /** A stream that has sent nothing yet. {@code nanoTime} is a monotonic clock. */
    public StreamRateLimiter(Limits limits, LongSupplier nanoTime) {
        long now = nanoTime.getAsLong();
        this.nanoTime = nanoTime;
        this.messages = newBucket(limits.messages(), now);
        this.bytes = newBucket(limits.bytes(), now);
    }

    private static TokenBucket newBucket(int perSecond, long now) {
        long each = Math.max(1, SECOND / perSecond);
        return new TokenBucket(Duration.ofNanos(each), (long) perSecond * Limits.BURST, now);
    }

    /** Counts a message; returns how long to wait before the next one is read. */
    public Duration countAndGetDelay(int size) {
        long now = nanoTime.getAsLong();
        return Duration.ofNanos(
                Math.max(
                        messages.overdrawAndGetWaitNanos(1, now),
                        bytes.overdrawAndGetWaitNanos(size, now)));
    }
}
