package drover.evaluator.assess;

import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a node said of itself.
 *
 * @param attempt that the signals belong to; 0 when the node never had one
 * @param nextHeartbeatWithin how soon the agent says its next one; zero when it does not say
 */
public record Heartbeat(
        long attempt, List<ProgramObservation> programs, Duration nextHeartbeatWithin) {
    public Heartbeat {
        programs = List.copyOf(programs);
    }

    /** Of an agent that does not say when its next one follows. */
    public Heartbeat(long attempt, List<ProgramObservation> programs) {
        this(attempt, programs, Duration.ZERO);
    }

    /** The signals of one program. */
    Optional<ProgramObservation> findProgram(BinaryName program) {
        return programs.stream().filter(p -> p.name().equals(program.value())).findFirst();
    }
}
