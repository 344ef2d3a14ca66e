package drover.opsagent.runtime;

import drover.model.Digest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Whether a program runs. */
public sealed interface ProgramState {
    /** Whether it is meant to run. */
    boolean desired();

    /**
     * It runs.
     *
     * @param runId boot id, pid and start ticks
     * @param digest of what runs, verified for this run; null if the agent may not inspect the
     *     process
     * @param configDigest managed files and launch specification when it was started
     * @param upFor on the node's monotonic clock
     * @param startsSince starts by supervision since the last start on purpose
     */
    record Up(
            String runId,
            @Nullable Digest digest,
            Digest configDigest,
            Duration upFor,
            int startsSince)
            implements ProgramState {
        @Override
        public boolean desired() {
            return true;
        }
    }

    /** It does not run. */
    record Down(boolean desired, int startsSince) implements ProgramState {}
}
