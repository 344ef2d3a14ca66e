package drover.standalone;

import java.time.Duration;

/** Limit of every wait of this module's tests. A wait that succeeds costs nothing. */
public final class Waits {
    /** Longer than any step takes on two cores that four other processes keep busy. */
    public static final Duration LIMIT = Duration.ofSeconds(90);

    private static final boolean LONG_FORM = Integer.getInteger("minutes", 0) > 0;

    private Waits() {}

    /**
     * Limit of a wait for what is promised within a duration. Only the long form, which has the
     * machine to itself, checks the promise.
     */
    static Duration promised(Duration promise) {
        return LONG_FORM ? promise : LIMIT;
    }
}
