package drover.gateway.engine;

import drover.gateway.session.ProgramSignal;
import drover.gateway.session.Relayed;
import java.util.List;

/**
 * A status that an agent sent.
 *
 * @param signals what it proves of programs; empty while the attempt is under way
 */
public record Report(long attempt, long sequence, Relayed body, List<ProgramSignal> signals) {
    public Report {
        signals = List.copyOf(signals);
    }
}
