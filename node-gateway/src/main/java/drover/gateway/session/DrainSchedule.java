package drover.gateway.session;

import java.time.Duration;

/**
 * How fast a gateway that ends lets its agents go: a few at a time, as fast as the other gateways
 * can admit them (I1), and a large one faster, because whoever ended it waits.
 *
 * @param batchSize how many agents at a time
 * @param interval how long from one slice to the next, and within which those of a slice dial
 */
public record DrainSchedule(int batchSize, Duration interval) {
    private static final Duration BETWEEN = Duration.ofMillis(100);
    private static final int USUAL_SLICE = 30; // 300 a second: what two processors admit (I1)
    private static final int MOST_SLICES = 150; // 15 s, half of what managers of services allow

    /** The pace for so many agents. */
    public static DrainSchedule of(int agents) {
        return new DrainSchedule(Math.max(USUAL_SLICE, Math.ceilDiv(agents, MOST_SLICES)), BETWEEN);
    }
}
