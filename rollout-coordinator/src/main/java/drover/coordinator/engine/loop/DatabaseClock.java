package drover.coordinator.engine.loop;

import drover.coordinator.store.leader.LeaderStore;
import java.time.Duration;
import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * The database's time, read now and then and carried on by the monotonic clock in between (rule R3;
 * invariant G6).
 */
public final class DatabaseClock {
    private final LeaderStore store;
    private final LongSupplier monotonicNanos;
    private volatile ClockReading reading;

    /** Reads the database's time at once. */
    public DatabaseClock(LeaderStore store, LongSupplier monotonicNanos) {
        this.store = store;
        this.monotonicNanos = monotonicNanos;
        this.reading = read();
    }

    /** The database's time now, to within a reading's travel time. Never goes back. */
    public Instant now() {
        ClockReading last = reading;
        Duration passed = Duration.ofNanos(monotonicNanos.getAsLong() - last.nanos());
        return last.at().plus(passed.toNanos() / 1_000, java.time.temporal.ChronoUnit.MICROS);
    }

    /** Reads it again; a reading that would go back is dropped. */
    public void synchronize() {
        ClockReading next = read();
        if (!next.at().isBefore(now())) {
            reading = next;
        }
    }

    private ClockReading read() {
        Instant at = store.databaseTime().truncatedTo(java.time.temporal.ChronoUnit.MICROS);
        return new ClockReading(at, monotonicNanos.getAsLong());
    }

    private record ClockReading(Instant at, long nanos) {}
}
