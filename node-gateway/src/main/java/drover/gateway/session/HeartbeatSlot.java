package drover.gateway.session;

import java.util.List;

/**
 * The latest heartbeat of a session.
 *
 * @param receivedNanos reading of the gateway's monotonic clock when it came
 * @param health how the node is by it
 * @param findings all that the agent noticed by itself
 */
public record HeartbeatSlot(
        Relayed body, long receivedNanos, NodeHealth health, List<NoticedFinding> findings) {
    public HeartbeatSlot {
        findings = List.copyOf(findings);
    }

    /** A heartbeat of an agent that noticed nothing. */
    public HeartbeatSlot(Relayed body, long receivedNanos, NodeHealth health) {
        this(body, receivedNanos, health, List.of());
    }
}
