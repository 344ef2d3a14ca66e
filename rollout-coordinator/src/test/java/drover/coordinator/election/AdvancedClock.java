package drover.coordinator.election;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** The monotonic clock of this machine, which a test sets forward. */
final class AdvancedClock implements LongSupplier {
    private final AtomicLong added = new AtomicLong();

    void advance(Duration length) {
        added.addAndGet(length.toNanos());
    }

    @Override
    public long getAsLong() {
        return System.nanoTime() + added.get();
    }
}
