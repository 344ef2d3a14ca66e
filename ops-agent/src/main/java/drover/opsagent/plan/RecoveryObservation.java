package drover.opsagent.plan;

/**
 * What the disk says that the journal cannot.
 *
 * @param afterRestart whether the agent has just been started with this attempt open
 * @param artifactVerified whether the target's bytes are on the disk, staged or installed, with
 *     their digest recomputed
 * @param programRunning whether the program runs; a reboot after its start ends it
 * @param isSuccessor whether this agent is itself what the attempt installs
 */
public record RecoveryObservation(
        boolean afterRestart,
        boolean artifactVerified,
        boolean programRunning,
        boolean isSuccessor) {
    /** Of an attempt that is about a program. */
    public RecoveryObservation(boolean recovering, boolean artifactVerified, boolean running) {
        this(recovering, artifactVerified, running, false);
    }

    /** In the middle of an attempt the question does not arise. */
    public static final RecoveryObservation RUNNING = new RecoveryObservation(false, true, true);
}
