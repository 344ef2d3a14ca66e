package drover.opsagent.time;

import java.time.Duration;
import java.time.Instant;

/** The machine's own time. */
public final class SystemTicker implements Ticker {
    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public Instant wallClock() {
        return Instant.now();
    }

    @Override
    public void pause(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AgentStopping(e);
        }
    }
}
