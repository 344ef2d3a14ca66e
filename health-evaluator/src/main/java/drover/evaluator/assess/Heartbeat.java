package drover.evaluator.assess;

import drover.model.BinaryName;
import java.util.List;
import java.util.Optional;

/**
 * What a node said of itself.
 *
 * @param attempt that the signals belong to; 0 when the node never had one
 */
public record Heartbeat(long attempt, List<ProgramSignal> programs) {
    public Heartbeat {
        programs = List.copyOf(programs);
    }

    /** The signals of one program. */
    Optional<ProgramSignal> of(BinaryName program) {
        return programs.stream().filter(p -> p.name().equals(program.value())).findFirst();
    }
}
