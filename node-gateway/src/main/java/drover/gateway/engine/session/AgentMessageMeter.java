package drover.gateway.engine.session;

import java.time.Duration;

/** Is told what goes through the table of sessions, for metrics. Must not block. */
public interface AgentMessageMeter {
    /** Nobody measures. */
    AgentMessageMeter NONE = new AgentMessageMeter() {};

    /** A heartbeat was received, heard or not. */
    default void heartbeatReceived() {}

    /** A status was received, heard or not. */
    default void statusReceived() {}

    /** A message of an agent was rejected because a value was outside its limits. */
    default void messageRejected() {}

    /** A message was accepted after texts were changed or times removed. */
    default void messageRepaired() {}

    /** Reading from an agent was delayed because it sent faster than its rate limit. */
    default void readDelayed() {}

    /** An agent has answered a command, this long after it was told. */
    default void commandAnswered(Duration took) {}
}
