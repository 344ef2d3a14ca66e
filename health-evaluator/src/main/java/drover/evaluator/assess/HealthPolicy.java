package drover.evaluator.assess;

import java.time.Duration;

/**
 * What counts as well.
 *
 * @param crashLoopRestarts restarts within the attempt from which it is a crash loop
 * @param silence how old the latest heartbeat may be before there is no data
 */
public record HealthPolicy(int crashLoopRestarts, Duration silence) {
    /** Three restarts (seed 000, criterion 5), and three heartbeats of 5 s. */
    public static final HealthPolicy USUAL = new HealthPolicy(3, Duration.ofSeconds(15));

    /** Fails, with {@link IllegalArgumentException}, for what would never or always be well. */
    public HealthPolicy {
        if (crashLoopRestarts < 1 || !silence.isPositive()) {
            throw new IllegalArgumentException(
                    "A health policy needs at least 1 restart and a silence above zero");
        }
    }
}
