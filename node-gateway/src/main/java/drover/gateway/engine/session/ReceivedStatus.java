package drover.gateway.engine.session;

import drover.gateway.session.OpaqueMessage;
import drover.gateway.session.ProgramObservation;
import drover.gateway.session.ReportedProgram;
import java.util.List;

/**
 * A status that an agent sent.
 *
 * @param signals what it proves of programs; empty while the attempt is under way
 * @param programs programs as it left them, whole; empty while the attempt is under way
 */
public record ReceivedStatus(
        long attempt,
        long sequence,
        OpaqueMessage body,
        List<ProgramObservation> signals,
        List<ReportedProgram> programs) {
    public ReceivedStatus {
        signals = List.copyOf(signals);
        programs = List.copyOf(programs);
    }

    /** A status that says nothing whole of any program. */
    public ReceivedStatus(
            long attempt, long sequence, OpaqueMessage body, List<ProgramObservation> signals) {
        this(attempt, sequence, body, signals, List.of());
    }
}
