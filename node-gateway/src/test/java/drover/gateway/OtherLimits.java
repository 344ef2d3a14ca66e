package drover.gateway;

import drover.kit.grpc.ConnectionLimits;
import drover.kit.grpc.EndpointLimits;
import drover.kit.grpc.StreamRate;
import java.time.Duration;

/** The standard, but for one limit that a test can wait for. */
final class OtherLimits {
    private static final EndpointLimits USUAL = EndpointLimits.AGENTS;

    private OtherLimits() {}

    /** Connections that end at this age. */
    static EndpointLimits living(Duration age, Duration grace) {
        ConnectionLimits usual = USUAL.connections();
        return with(
                new ConnectionLimits(
                        usual.dials(),
                        usual.dialsOfOne(),
                        usual.most(),
                        age,
                        grace,
                        usual.idle(),
                        usual.asks(),
                        usual.answers()));
    }

    /** Connections that are asked for a sign, and given up without one. */
    static EndpointLimits asking(Duration asks, Duration answers) {
        ConnectionLimits usual = USUAL.connections();
        return with(
                new ConnectionLimits(
                        usual.dials(),
                        usual.dialsOfOne(),
                        usual.most(),
                        usual.age(),
                        usual.grace(),
                        usual.idle(),
                        asks,
                        answers));
    }

    private static EndpointLimits with(ConnectionLimits connections) {
        return with(USUAL.resetsWithin(), USUAL.pings(), connections);
    }

    /** Pings that are so far apart. */
    static EndpointLimits pinging(Duration apart) {
        return with(USUAL.resetsWithin(), apart, USUAL.connections());
    }

    /** The usual number of abandoned calls, in such a time. */
    static EndpointLimits abandoning(Duration within) {
        return with(within, USUAL.pings(), USUAL.connections());
    }

    /** Streams with rate limits that no test reaches, for tests of what else holds a flood. */
    static EndpointLimits unlimitedRate() {
        return with(
                USUAL.resetsWithin(),
                USUAL.pings(),
                new StreamRate.Limits(100_000_000, 100_000_000, 100_000_000),
                USUAL.connections());
    }

    private static EndpointLimits with(
            Duration resetsWithin, Duration pings, ConnectionLimits connections) {
        return with(resetsWithin, pings, USUAL.rate(), connections);
    }

    private static EndpointLimits with(
            Duration resetsWithin,
            Duration pings,
            StreamRate.Limits rate,
            ConnectionLimits connections) {
        return new EndpointLimits(
                USUAL.message(),
                USUAL.metadata(),
                USUAL.window(),
                USUAL.calls(),
                USUAL.resets(),
                resetsWithin,
                pings,
                USUAL.handshake(),
                rate,
                connections);
    }
}
