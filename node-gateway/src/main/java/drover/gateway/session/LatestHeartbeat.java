package drover.gateway.session;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The latest heartbeat of a session.
 *
 * @param receivedNanos reading of the gateway's monotonic clock when it came
 * @param health health of the node by it
 * @param programs health of each program by it
 * @param findings all that the agent noticed by itself
 * @param sentAt by the node's clock, which decides nothing; empty when it does not say
 */
public record LatestHeartbeat(
        OpaqueMessage body,
        long receivedNanos,
        NodeHealth health,
        Map<String, NodeHealth> programs,
        List<AgentFinding> findings,
        Optional<Instant> sentAt) {
    public LatestHeartbeat {
        programs = Map.copyOf(programs);
        findings = List.copyOf(findings);
    }

    /** A heartbeat of an agent that noticed nothing and tells no time. */
    public LatestHeartbeat(OpaqueMessage body, long receivedNanos, NodeHealth health) {
        this(body, receivedNanos, health, Map.of(), List.of(), Optional.empty());
    }

    /** The same levels of health; sentences may differ. */
    public boolean hasSameHealthLevels(LatestHeartbeat other) {
        return healthLevels(this).equals(healthLevels(other));
    }

    private static Map<String, NodeHealth.Level> healthLevels(LatestHeartbeat slot) {
        return slot.programs.entrySet().stream()
                .collect(
                        Collectors.toMap(Map.Entry::getKey, program -> program.getValue().level()));
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
