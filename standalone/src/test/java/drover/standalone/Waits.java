package drover.standalone;

import drover.gateway.Faults;
import java.time.Duration;

/** Limit of every wait of this module's tests. A wait that succeeds costs nothing. */
public final class Waits {
    /** Longer than any step takes on two cores that eight other processes keep busy. */
    public static final Duration LIMIT = Duration.ofSeconds(90);

    private Waits() {}

    /**
     * Limit of a wait for what is promised within a duration. Only the full suite, which has the
     * machine to itself, checks the promise.
     */
    static Duration promised(Duration promise) {
        return Faults.FULL_SUITE ? promise : LIMIT;
    }
}
