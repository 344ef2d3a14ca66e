package drover.gateway;

import java.time.Duration;

/** The standard, but for one limit that a test can wait for. */
final class OtherLimits {
    private static final AgentDoorLimits USUAL = AgentDoorLimits.STANDARD;

    private OtherLimits() {}

    /** Connections that end at this age. */
    static AgentDoorLimits living(Duration age, Duration grace) {
        ConnectionLimits usual = USUAL.connections();
        return with(
                new ConnectionLimits(
                        usual.dials(),
                        usual.dialsOfOne(),
                        age,
                        grace,
                        usual.asks(),
                        usual.answers()));
    }

    /** Connections that are asked for a sign, and given up without one. */
    static AgentDoorLimits asking(Duration asks, Duration answers) {
        ConnectionLimits usual = USUAL.connections();
        return with(
                new ConnectionLimits(
                        usual.dials(),
                        usual.dialsOfOne(),
                        usual.age(),
                        usual.grace(),
                        asks,
                        answers));
    }

    private static AgentDoorLimits with(ConnectionLimits connections) {
        return with(USUAL.resetsWithin(), USUAL.pings(), connections);
    }

    /** Pings that are so far apart. */
    static AgentDoorLimits pinging(Duration apart) {
        return with(USUAL.resetsWithin(), apart, USUAL.connections());
    }

    /** The usual number of abandoned calls, in such a time. */
    static AgentDoorLimits abandoning(Duration within) {
        return with(within, USUAL.pings(), USUAL.connections());
    }

    private static AgentDoorLimits with(
            Duration resetsWithin, Duration pings, ConnectionLimits connections) {
        return new AgentDoorLimits(
                USUAL.message(),
                USUAL.metadata(),
                USUAL.window(),
                USUAL.calls(),
                USUAL.resets(),
                resetsWithin,
                pings,
                USUAL.handshake(),
                connections);
    }
}
