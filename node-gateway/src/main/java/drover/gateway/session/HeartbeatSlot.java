package drover.gateway.session;

/**
 * The latest heartbeat of a session.
 *
 * @param receivedNanos reading of the gateway's monotonic clock when it came
 * @param health how the node is by it
 */
public record HeartbeatSlot(Relayed body, long receivedNanos, NodeHealth health) {}
