package drover.opsagent.plan;

import drover.model.Digest;
import org.jspecify.annotations.Nullable;

/**
 * The program as it is, before an attempt.
 *
 * @param fileDigest of the installed program file; empty when there is none
 * @param runningDigest of what runs; empty if nothing runs, null if the agent may not inspect what
 *     runs
 * @param configDigest over managed files and launch specification
 */
public record ProgramSnapshot(
        String fileDigest, @Nullable String runningDigest, Digest configDigest) {
    /** Whether it runs. */
    public boolean isRunning() {
        return runningDigest == null || !runningDigest.isEmpty();
    }

    /** Whether it runs, and the agent may not inspect it. */
    public boolean isNotInspectable() {
        return runningDigest == null;
    }

    /** The digest that counts: of what is known to run, else of the file. */
    public String runningOrFileDigest() {
        return runningDigest == null || runningDigest.isEmpty() ? fileDigest : runningDigest;
    }
}
