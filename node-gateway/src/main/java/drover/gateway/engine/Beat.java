package drover.gateway.engine;

import drover.gateway.session.NoticedFinding;
import drover.gateway.session.ProgramCondition;
import drover.gateway.session.ProgramSignal;
import drover.gateway.session.Relayed;
import drover.gateway.session.StatusMark;
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
 * @param after the latest status that there was when it was made; empty when it does not say
 */
public record Beat(
        Relayed body,
        List<ProgramSignal> signals,
        List<ProgramCondition> conditions,
        List<NoticedFinding> findings,
        Optional<Instant> sentAt,
        boolean draining,
        Optional<StatusMark> after) {
    /** A heartbeat of an agent that noticed nothing and tells no time. */
    public Beat(Relayed body, List<ProgramSignal> signals, List<ProgramCondition> conditions) {
        this(body, signals, conditions, List.of(), Optional.empty(), false, Optional.empty());
    }

    public Beat {
        findings = List.copyOf(findings);
        signals = List.copyOf(signals);
        conditions = List.copyOf(conditions);
    }
}
