package drover.gateway.engine;

import drover.gateway.session.Program;
import drover.gateway.session.ProgramSignal;
import drover.gateway.session.Relayed;
import java.util.List;

/**
 * A status that an agent sent.
 *
 * @param signals what it proves of programs; empty while the attempt is under way
 * @param programs programs as it left them, whole; empty while the attempt is under way
 */
public record Report(
        long attempt,
        long sequence,
        Relayed body,
        List<ProgramSignal> signals,
        List<Program> programs) {
    public Report {
        signals = List.copyOf(signals);
        programs = List.copyOf(programs);
    }

    /** A status that says nothing whole of any program. */
    public Report(long attempt, long sequence, Relayed body, List<ProgramSignal> signals) {
        this(attempt, sequence, body, signals, List.of());
    }
}
