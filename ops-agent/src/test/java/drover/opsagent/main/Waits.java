package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

/** Limits of this module's tests on wall-clock time. */
public final class Waits {
    /**
     * Limit of every wait, longer than any step takes on two cores that eight other processes keep
     * busy. A wait that succeeds costs nothing.
     */
    public static final Duration LIMIT = Duration.ofSeconds(90);

    private Waits() {}

    /** Prints a measured duration. The full suite, which has the machine to itself, checks it. */
    public static void measured(String what, Duration took, Duration promised) {
        System.out.printf("%s: %d ms%n", what, took.toMillis());
        if (Faults.FULL_SUITE) {
            assertThat(took).as(what).isLessThan(promised);
        }
    }
}
