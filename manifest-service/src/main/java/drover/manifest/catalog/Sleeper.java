package drover.manifest.catalog;

import java.time.Duration;

/** Pauses between two readings of a file. */
@FunctionalInterface
interface Sleeper {
    /** Pauses of the machine's clock. */
    Sleeper SYSTEM = Thread::sleep;

    /** Returns after this time. */
    void sleep(Duration time) throws InterruptedException;
}
