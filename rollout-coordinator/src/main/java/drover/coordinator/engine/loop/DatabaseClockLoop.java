package drover.coordinator.engine.loop;

import drover.coordinator.store.sql.StoreUnavailable;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the database's time again and again for the doors, also where this replica does not lead: a
 * machine's monotonic clock stands still while it is suspended, and keys and tokens are judged by
 * this time.
 */
public final class DatabaseClockLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseClockLoop.class);
    private static final Duration ROUND = Duration.ofSeconds(10); // one small query

    private final DatabaseClock clock;
    private final Thread thread;

    private DatabaseClockLoop(DatabaseClock clock) {
        this.clock = clock;
        this.thread = Thread.ofVirtual().name("doors-clock").unstarted(this::run);
    }

    /** Begins. */
    public static DatabaseClockLoop start(DatabaseClock clock) {
        DatabaseClockLoop loop = new DatabaseClockLoop(clock);
        loop.thread.start();
        return loop;
    }

    private void run() {
        WakeupSignal pause = new WakeupSignal();
        try {
            while (true) {
                pause.sleep(ROUND);
                synchronizeClock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private void synchronizeClock() {
        try {
            clock.synchronize();
        } catch (StoreUnavailable e) {
            LOG.debug("The time is carried on without the database reason={}", e.getMessage());
        }
    }

    /** Ends; the time is carried on from the last reading. */
    @Override
    public void close() {
        thread.interrupt();
    }
}
