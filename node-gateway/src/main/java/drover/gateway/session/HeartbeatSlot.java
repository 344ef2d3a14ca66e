package drover.gateway.session;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The latest heartbeat of a session.
 *
 * @param receivedNanos reading of the gateway's monotonic clock when it came
 * @param health how the node is by it
 * @param findings all that the agent noticed by itself
 * @param sentAt by the node's clock, which decides nothing; empty when it does not say
 */
public record HeartbeatSlot(
        Relayed body,
        long receivedNanos,
        NodeHealth health,
        List<NoticedFinding> findings,
        Optional<Instant> sentAt) {
    public HeartbeatSlot {
        findings = List.copyOf(findings);
    }

    /** A heartbeat of an agent that noticed nothing. */
    public HeartbeatSlot(
            Relayed body, long receivedNanos, NodeHealth health, Optional<Instant> sentAt) {
        this(body, receivedNanos, health, List.of(), sentAt);
    }

    /**
     * How far the node's clock was ahead of the gateway's when it came; negative when behind.
     *
     * @param nanos now, on the clock of {@code receivedNanos}
     * @param now the same moment on the gateway's clock
     */
    public Optional<Duration> clockAhead(long nanos, Instant now) {
        Instant receivedAt = now.minusNanos(nanos - receivedNanos);
        return sentAt.map(sent -> Duration.between(receivedAt, sent));
    }
}
