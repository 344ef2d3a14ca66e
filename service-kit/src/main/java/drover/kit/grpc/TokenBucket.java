package drover.kit.grpc;

import java.time.Duration;

/** Token bucket: a rate in the long run, and a burst after a quiet time. */
final class TokenBucket {
    private final long nanosEach;
    private final long burst;
    private long emptyAt; // when the last admitted one is paid for

    /**
     * @param each time between two in the long run
     * @param burst how many at once
     */
    TokenBucket(Duration each, long burst, long now) {
        this.nanosEach = each.toNanos();
        this.burst = burst;
        this.emptyAt = now;
    }

    /**
     * Takes so many, available or not.
     *
     * @return nanoseconds until the next may be taken; 0 while the burst lasts
     */
    synchronized long overdraw(long amount, long now) {
        long paid = Math.max(emptyAt - now, 0) + amount * nanosEach;
        emptyAt = now + paid;
        return Math.max(0, paid - burst * nanosEach);
    }

    /** Whether one more is admitted at this time of a monotonic clock. */
    synchronized boolean take(long now) {
        long paid = Math.max(emptyAt - now, 0) + nanosEach;
        if (paid > burst * nanosEach) {
            return false;
        }
        emptyAt = now + paid;
        return true;
    }
}
