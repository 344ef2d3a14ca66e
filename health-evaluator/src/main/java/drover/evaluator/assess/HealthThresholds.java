package drover.evaluator.assess;

import java.time.Duration;

/**
 * What counts as well.
 *
 * @param crashLoopRestarts restarts within the attempt from which it is a crash loop
 * @param heartbeatTimeout how old the latest heartbeat may be before there is no data, unless its
 *     agent announced a slower pace
 */
public record HealthThresholds(int crashLoopRestarts, Duration heartbeatTimeout) {
    /** Three restarts (seed 000, criterion 5), and three heartbeats of 5 s. */
    public static final HealthThresholds DEFAULT = new HealthThresholds(3, Duration.ofSeconds(15));

    private static final int HEARTBEATS_MISSED = 3; // heartbeats, from which on an agent is silent

    /** An agent cannot announce itself away: it is lost after 3 heartbeats of 30 s, and a bit. */
    private static final Duration MAX_HEARTBEAT_TIMEOUT = Duration.ofSeconds(100);

    /**
     * How old a heartbeat may be: three of the pace that it announced, at least {@link
     * #heartbeatTimeout}. Some minutes after its attempt an agent slows down, while a long hold or
     * the observation of a canary goes on; its slower pace is not silence (rule R3).
     */
    Duration heartbeatTimeout(Heartbeat latest) {
        Duration pace = latest.nextHeartbeatWithin();
        Duration bounded =
                pace.compareTo(MAX_HEARTBEAT_TIMEOUT.dividedBy(HEARTBEATS_MISSED))
                                > 0 // no product overflows
                        ? MAX_HEARTBEAT_TIMEOUT
                        : pace.multipliedBy(HEARTBEATS_MISSED);
        return bounded.compareTo(heartbeatTimeout) > 0 ? bounded : heartbeatTimeout;
    }

    /** Fails, with {@link IllegalArgumentException}, for what would never or always be well. */
    public HealthThresholds {
        if (crashLoopRestarts < 1 || !heartbeatTimeout.isPositive()) {
            throw new IllegalArgumentException(
                    "A health policy needs at least 1 restart and a silence above zero");
        }
    }
}
