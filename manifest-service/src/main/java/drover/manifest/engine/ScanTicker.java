package drover.manifest.engine;

import java.time.Duration;

/** Pauses between two readings of a file. */
@FunctionalInterface
interface ScanTicker {
    /** Pauses of the machine's clock. */
    ScanTicker SYSTEM = Thread::sleep;

    /** Returns after this time. */
    void pause(Duration time) throws InterruptedException;
}
