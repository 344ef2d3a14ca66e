package drover.evaluator.assess;

import java.time.Duration;

/**
 * What counts as well.
 *
 * @param crashLoopRestarts restarts within the attempt from which it is a crash loop
 * @param silence how old the latest heartbeat may be before there is no data, unless its agent
 *     announced a slower pace
 */
public record HealthPolicy(int crashLoopRestarts, Duration silence) {
    /** Three restarts (seed 000, criterion 5), and three heartbeats of 5 s. */
    public static final HealthPolicy USUAL = new HealthPolicy(3, Duration.ofSeconds(15));

    private static final int MISSED = 3; // heartbeats, from which on an agent is silent

    /** An agent cannot announce itself away: it is lost after 3 heartbeats of 30 s, and a bit. */
    private static final Duration MOST_SILENCE = Duration.ofSeconds(100);

    /**
     * How old a heartbeat may be: three of the pace that it announced, at least {@link #silence}.
     * Some minutes after its attempt an agent slows down, while a long hold or the observation of a
     * canary goes on; its slower pace is not silence (rule R3).
     */
    Duration silence(Heartbeat latest) {
        Duration pace = latest.nextWithin();
        Duration bounded =
                pace.compareTo(MOST_SILENCE.dividedBy(MISSED)) > 0 // no product overflows
                        ? MOST_SILENCE
                        : pace.multipliedBy(MISSED);
        return bounded.compareTo(silence) > 0 ? bounded : silence;
    }

    /** Fails, with {@link IllegalArgumentException}, for what would never or always be well. */
    public HealthPolicy {
        if (crashLoopRestarts < 1 || !silence.isPositive()) {
            throw new IllegalArgumentException(
                    "A health policy needs at least 1 restart and a silence above zero");
        }
    }
}
