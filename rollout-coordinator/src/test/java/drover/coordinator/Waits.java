package drover.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

/** Limits of this module's tests on wall-clock time. */
public final class Waits {
    /**
     * Limit of every wait, longer than any step takes on two cores that four other processes keep
     * busy. A wait that succeeds costs nothing.
     */
    public static final Duration LIMIT = Duration.ofSeconds(90);

    private static final boolean LONG_FORM = Integer.getInteger("minutes", 0) > 0;

    private Waits() {}

    /** Prints a measured duration. The long form, which has the machine to itself, checks it. */
    public static void measured(String what, Duration took, Duration promised) {
        System.out.printf("%s: %d ms%n", what, took.toMillis());
        if (LONG_FORM) {
            assertThat(took).as(what).isLessThan(promised);
        }
    }
}
