package drover.gateway.engine;

import drover.gateway.session.ProgramCondition;
import drover.gateway.session.ProgramSignal;
import drover.gateway.session.Relayed;
import java.util.List;

/**
 * A heartbeat that came.
 *
 * @param signals what it says of the inventory
 * @param conditions how the programs are
 */
public record Beat(Relayed body, List<ProgramSignal> signals, List<ProgramCondition> conditions) {
    public Beat {
        signals = List.copyOf(signals);
        conditions = List.copyOf(conditions);
    }
}
