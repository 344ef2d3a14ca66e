package drover.gateway.session;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * When an agent is asked to dial again because its connection grows old. The transport ends a
 * connection at its age, give or take a tenth; who is asked before is away for a second or two, and
 * not for the minute within which lost agents come back.
 *
 * @param age of a connection
 */
public record MaxConnectionAge(Duration age) {
    private static final int EARLIEST = 80; // hundredths of the age
    private static final int LATEST = 90; // where the transport begins to end connections

    /** Within which an agent that is asked dials again: the moments of asking are apart already. */
    public static final Duration RECONNECT_WITHIN = Duration.ofSeconds(1);

    /** After how long this one is asked: all that came at once are spread over a tenth. */
    public Duration randomReconnectDelay(RandomGenerator random) {
        return Duration.ofNanos(
                random.nextLong(
                        age.multipliedBy(EARLIEST).dividedBy(100).toNanos(),
                        age.multipliedBy(LATEST).dividedBy(100).toNanos()));
    }
}
