package drover.kit.grpc;

import java.time.Duration;

/** Token bucket: a rate in the long run, and a burst after a quiet time. */
final class TokenBucket {
    private final long nanosPerToken;
    private final long burst;
    private long emptyAt; // when the last admitted one is paid for

    /**
     * @param each time between two in the long run
     * @param burst how many at once
     */
    TokenBucket(Duration each, long burst, long now) {
        this.nanosPerToken = each.toNanos();
        this.burst = burst;
        this.emptyAt = now;
    }

    /**
     * Takes so many, available or not.
     *
     * @return nanoseconds until the next may be taken; 0 while the burst lasts
     */
    synchronized long overdrawAndGetWaitNanos(long amount, long now) {
        long paid = Math.max(emptyAt - now, 0) + amount * nanosPerToken;
        emptyAt = now + paid;
        return Math.max(0, paid - burst * nanosPerToken);
    }

    /** Whether one more is admitted at this time of a monotonic clock. */
    synchronized boolean tryAcquire(long now) {
        long paid = Math.max(emptyAt - now, 0) + nanosPerToken;
        if (paid > burst * nanosPerToken) {
            return false;
        }
        emptyAt = now + paid;
        return true;
    }
}
