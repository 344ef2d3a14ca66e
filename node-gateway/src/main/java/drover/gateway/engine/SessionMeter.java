package drover.gateway.engine;

import java.time.Duration;

/** Is told what goes through the table of sessions, for metrics. Must not block. */
public interface SessionMeter {
    /** Nobody measures. */
    SessionMeter NONE = new SessionMeter() {};

    /** A heartbeat was received, heard or not. */
    default void heartbeat() {}

    /** A status was received, heard or not. */
    default void status() {}

    /** An agent has answered a command, this long after it was told. */
    default void answered(Duration took) {}
}
