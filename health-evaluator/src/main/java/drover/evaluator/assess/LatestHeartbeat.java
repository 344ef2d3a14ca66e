package drover.evaluator.assess;

import java.time.Duration;

/** The latest that is known of a node. */
public sealed interface LatestHeartbeat {
    /** No gateway has said anything of the node. */
    record None() implements LatestHeartbeat {}

    /** Every gateway says that the node is not connected to it. */
    record NodeOffline() implements LatestHeartbeat {}

    /**
     * A heartbeat with values outside their limits.
     *
     * @param why one sentence that names the field
     */
    record Invalid(String why) implements LatestHeartbeat {}

    /**
     * A heartbeat.
     *
     * @param age since a gateway received it
     */
    record Received(Heartbeat heartbeat, Duration age) implements LatestHeartbeat {}
}
