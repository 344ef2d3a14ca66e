package drover.gateway.engine;

import java.time.Duration;

/** So many a second, and some at once after a quiet time. */
final class Allowance {
    private final long nanosEach;
    private final long burst;
    private long emptyAt; // when the last one that was let in is paid for

    /**
     * @param each time between two in the long run
     * @param burst how many at once
     */
    Allowance(Duration each, int burst, long now) {
        this.nanosEach = each.toNanos();
        this.burst = burst;
        this.emptyAt = now;
    }

    /** Whether one more is let in at this time of a monotonic clock. */
    synchronized boolean take(long now) {
        long paid = Math.max(emptyAt - now, 0) + nanosEach;
        if (paid > burst * nanosEach) {
            return false;
        }
        emptyAt = now + paid;
        return true;
    }
}
