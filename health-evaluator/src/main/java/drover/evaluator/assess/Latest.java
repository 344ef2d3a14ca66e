package drover.evaluator.assess;

import java.time.Duration;

/** The latest that is known of a node. */
public sealed interface Latest {
    /** No gateway has said anything of the node. */
    record Nothing() implements Latest {}

    /** Every gateway says that the node is not connected to it. */
    record Gone() implements Latest {}

    /**
     * A heartbeat with values outside their limits.
     *
     * @param why one sentence that names the field
     */
    record Invalid(String why) implements Latest {}

    /**
     * A heartbeat.
     *
     * @param age since a gateway received it
     */
    record Heard(Heartbeat heartbeat, Duration age) implements Latest {}
}
