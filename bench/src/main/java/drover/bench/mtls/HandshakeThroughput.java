package drover.bench.mtls;

import java.time.Duration;

/**
 * What was done in a time.
 *
 * @param done whole handshakes, both ends believed
 * @param took how long they took together
 * @param ofGateway processor time of the gateway meanwhile
 */
public record HandshakeThroughput(int done, Duration took, Duration ofGateway) {
    /** How many in a second, their dialler on the same processors. */
    public double perSecond() {
        return done * 1e9 / took.toNanos();
    }
}
