package drover.opsagent.fetch;

import drover.opsagent.time.SystemTicker;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The machine's clock, except that pauses are skipped and recorded. */
final class SkippingTicker implements Ticker {
    private final Ticker real = new SystemTicker();
    private final List<Duration> pauses = new CopyOnWriteArrayList<>();

    /** Pauses so far. */
    List<Duration> pauses() {
        return pauses;
    }

    private Duration skipped() {
        return pauses.stream().reduce(Duration.ZERO, Duration::plus);
    }

    @Override
    public long nanos() {
        return real.nanos() + skipped().toNanos();
    }

    @Override
    public Instant wallClock() {
        return real.wallClock().plus(skipped());
    }

    @Override
    public void pause(Duration duration) {
        pauses.add(duration);
    }
}
