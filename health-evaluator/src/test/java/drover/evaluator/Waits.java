package drover.evaluator;

import java.time.Duration;

/** Limit of every wait of this module's tests. A wait that succeeds costs nothing. */
public final class Waits {
    /** Longer than any step takes on two cores that eight other processes keep busy. */
    public static final Duration LIMIT = Duration.ofSeconds(90);

    private Waits() {}
}
