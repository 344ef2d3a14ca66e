package drover.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Something did not hold. Says the seed, what, the events before it, and how to see it again. */
public final class SimulationFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long seed;

    SimulationFailed(
            long seed, String what, String moment, List<String> before, @Nullable Throwable cause) {
        super(
                "Seed "
                        + seed
                        + " failed at "
                        + moment
                        + ": "
                        + what
                        + "\nBefore it:\n  "
                        + String.join("\n  ", before)
                        + "\nSee it again: ./drover simulate --seed "
                        + seed
                        + " --verbose",
                cause);
        this.seed = seed;
    }

    /** The seed that failed. */
    public long seed() {
        return seed;
    }
}
