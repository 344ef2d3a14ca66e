package drover.opsagent.time;

import java.time.Duration;
import java.time.Instant;

/** Time that moves only when somebody waits or says so; its wall clock stands still. */
public final class AutoAdvancingTicker implements Ticker {
    private long nanos;

    @Override
    public synchronized long nanos() {
        return nanos;
    }

    @Override
    public Instant wallClock() {
        return Instant.EPOCH;
    }

    @Override
    public synchronized void pause(Duration duration) {
        nanos += duration.toNanos();
    }
}
