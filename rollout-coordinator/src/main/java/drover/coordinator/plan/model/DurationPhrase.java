package drover.coordinator.plan.model;

import java.time.Duration;

/** Small pieces of the sentences that decisions carry. */
public final class DurationPhrase {
    private DurationPhrase() {}

    /** For example {@code 90 s}; fractions only where they matter. */
    public static String of(Duration duration) {
        long millis = duration.toMillis();
        return millis % 1000 == 0 ? millis / 1000 + " s" : millis / 1000.0 + " s";
    }
}
