package drover.opsagent.time;

import java.time.Duration;

/** A moment on the monotonic clock by which something must be done. */
public record Deadline(Ticker ticker, long atNanos) {
    /** Whether it has passed. */
    public boolean hasPassed() {
        return ticker.nanos() - atNanos >= 0;
    }

    /** Time left; zero when it has passed. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, atNanos - ticker.nanos()));
    }

    /** This much earlier, but not in the first half of the time left. */
    public Deadline earlierByAtMost(Duration reserve) {
        Duration half = left().dividedBy(2);
        return new Deadline(
                ticker, atNanos - (half.compareTo(reserve) < 0 ? half : reserve).toNanos());
    }

    /** The earlier of this and another this long from now. */
    public Deadline atMost(Duration duration) {
        Deadline other = ticker.deadlineIn(duration);
        return other.atNanos - atNanos < 0 ? other : this;
    }
}
