package drover.gateway.engine;

import drover.gateway.session.NoticedFinding;
import drover.gateway.session.ProgramCondition;
import drover.gateway.session.ProgramSignal;
import drover.gateway.session.Relayed;
import java.util.List;

/**
 * A heartbeat that came.
 *
 * @param signals what it says of the inventory
 * @param conditions how the programs are
 * @param findings what the agent noticed by itself
 */
public record Beat(
        Relayed body,
        List<ProgramSignal> signals,
        List<ProgramCondition> conditions,
        List<NoticedFinding> findings) {
    /** A heartbeat of an agent that noticed nothing. */
    public Beat(Relayed body, List<ProgramSignal> signals, List<ProgramCondition> conditions) {
        this(body, signals, conditions, List.of());
    }

    public Beat {
        findings = List.copyOf(findings);
        signals = List.copyOf(signals);
        conditions = List.copyOf(conditions);
    }
}
