package drover.opsagent.time;

import java.time.Duration;
import java.time.Instant;

/** Time on this machine. */
public interface Ticker {
    /** Monotonic nanoseconds; only differences mean something. */
    long nanos();

    /** Wall-clock time, for people and traces only. */
    Instant wallClock();

    /**
     * Waits.
     *
     * @throws AgentStopping when the agent is being closed
     */
    void pause(Duration duration);

    /** A deadline this long from now. */
    default Deadline deadlineIn(Duration duration) {
        return new Deadline(this, nanos() + duration.toNanos());
    }
}
