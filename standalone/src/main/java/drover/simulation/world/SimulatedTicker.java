package drover.simulation.world;

import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.time.Instant;

/**
 * A node's own time. What the agent does in one go takes time: the clock runs ahead of the world's
 * while it works, and the node is busy until the world has caught up. Its wall clock may be wrong.
 */
public final class SimulatedTicker implements Ticker {
    private final VirtualTime time;
    private long ahead;
    private long busyUntil;
    private Duration wrong = Duration.ZERO;

    SimulatedTicker(VirtualTime time) {
        this.time = time;
    }

    @Override
    public long nanos() {
        return time.nanos() + ahead;
    }

    @Override
    public Instant wallClock() {
        return VirtualTime.START.plusNanos(nanos()).plus(wrong);
    }

    @Override
    public void pause(Duration duration) {
        ahead += duration.toNanos();
    }

    /** Sets the wall clock wrong; durations do not notice (C7). */
    public void setClockError(Duration by) {
        wrong = by;
    }

    /** Whether the world has caught up. */
    boolean hasWorldCaughtUp() {
        return time.nanos() >= busyUntil;
    }

    long busyUntilNanos() {
        return busyUntil;
    }

    /** The agent has done something in one go. */
    void endStep() {
        busyUntil = time.nanos() + ahead;
        ahead = 0;
    }
}
