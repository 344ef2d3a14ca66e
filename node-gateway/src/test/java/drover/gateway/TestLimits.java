package drover.gateway;

import drover.kit.grpc.ConnectionLimits;
import drover.kit.grpc.EndpointLimits;
import drover.kit.grpc.StreamRateLimiter;
import java.time.Duration;

/** The standard, but for one limit that a test can wait for. */
final class TestLimits {
    private static final EndpointLimits USUAL = EndpointLimits.AGENTS;

    private TestLimits() {}

    /** Connections that end at this age. */
    static EndpointLimits living(Duration age, Duration grace) {
        ConnectionLimits usual = USUAL.connections();
        return with(
                new ConnectionLimits(
                        usual.connectionsPerSecond(),
                        usual.connectionsPerSecondPerSource(),
                        usual.maxConnections(),
                        age,
                        grace,
                        usual.idle(),
                        usual.keepaliveTime(),
                        usual.keepaliveTimeout()));
    }

    /** Connections that are asked for a sign, and given up without one. */
    static EndpointLimits pinging(Duration pings, Duration answers) {
        ConnectionLimits usual = USUAL.connections();
        return with(
                new ConnectionLimits(
                        usual.connectionsPerSecond(),
                        usual.connectionsPerSecondPerSource(),
                        usual.maxConnections(),
                        usual.maxAge(),
                        usual.grace(),
                        usual.idle(),
                        pings,
                        answers));
    }

    private static EndpointLimits with(ConnectionLimits connections) {
        return with(USUAL.resetInterval(), USUAL.minPingInterval(), connections);
    }

    /** Pings that are so far apart. */
    static EndpointLimits pinging(Duration apart) {
        return with(USUAL.resetInterval(), apart, USUAL.connections());
    }

    /** The usual number of abandoned calls, in such a time. */
    static EndpointLimits abandoning(Duration within) {
        return with(within, USUAL.minPingInterval(), USUAL.connections());
    }

    /** Streams with rate limits that no test reaches, for tests of what else holds a flood. */
    static EndpointLimits unlimitedRate() {
        return with(
                USUAL.resetInterval(),
                USUAL.minPingInterval(),
                new StreamRateLimiter.Limits(100_000_000, 100_000_000, 100_000_000),
                USUAL.connections());
    }

    private static EndpointLimits with(
            Duration resetsWithin, Duration pings, ConnectionLimits connections) {
        return with(resetsWithin, pings, USUAL.rate(), connections);
    }

    private static EndpointLimits with(
            Duration resetsWithin,
            Duration pings,
            StreamRateLimiter.Limits rate,
            ConnectionLimits connections) {
        return new EndpointLimits(
                USUAL.maxMessageBytes(),
                USUAL.maxMetadataBytes(),
                USUAL.windowBytes(),
                USUAL.maxCalls(),
                USUAL.maxResets(),
                resetsWithin,
                pings,
                USUAL.handshakeTimeout(),
                rate,
                connections);
    }
}
