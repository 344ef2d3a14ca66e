package drover.opsagent.plan;

import drover.model.Digest;

/**
 * The program as it is, before an attempt.
 *
 * @param fileDigest of the installed program file; empty when there is none
 * @param runningDigest of what runs; empty when nothing runs
 * @param configDigest over managed files and launch specification
 */
public record ProgramSnapshot(String fileDigest, String runningDigest, Digest configDigest) {
    /** Whether it runs. */
    public boolean isRunning() {
        return !runningDigest.isEmpty();
    }

    /** The digest that counts: of what runs, else of the file. */
    public String runningOrFileDigest() {
        return isRunning() ? runningDigest : fileDigest;
    }
}
