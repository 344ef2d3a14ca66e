package drover.gateway.engine.session;

import drover.gateway.session.AgentFinding;
import drover.gateway.session.HeartbeatProgramHealth;
import drover.gateway.session.OpaqueMessage;
import drover.gateway.session.ProgramObservation;
import drover.gateway.session.StatusVersion;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A heartbeat that came.
 *
 * @param signals what it says of the inventory
 * @param conditions how the programs are
 * @param findings what the agent noticed by itself
 * @param sentAt by the node's clock; empty when it does not say
 * @param draining whether the agent refuses new work because it is being replaced
 * @param latestStatus the latest status that there was when it was made; empty when it does not say
 */
public record ParsedHeartbeat(
        OpaqueMessage body,
        List<ProgramObservation> signals,
        List<HeartbeatProgramHealth> conditions,
        List<AgentFinding> findings,
        Optional<Instant> sentAt,
        boolean draining,
        Optional<StatusVersion> latestStatus) {
    /** A heartbeat of an agent that noticed nothing and tells no time. */
    public ParsedHeartbeat(
            OpaqueMessage body,
            List<ProgramObservation> signals,
            List<HeartbeatProgramHealth> conditions) {
        this(body, signals, conditions, List.of(), Optional.empty(), false, Optional.empty());
    }

    public ParsedHeartbeat {
        findings = List.copyOf(findings);
        signals = List.copyOf(signals);
        conditions = List.copyOf(conditions);
    }
}
