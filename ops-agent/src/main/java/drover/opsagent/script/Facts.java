package drover.opsagent.script;

/**
 * What the disk says that the journal cannot.
 *
 * @param recovering whether the agent has just been started with this attempt open
 * @param artifactVerified whether the target's bytes are on the disk, staged or installed, with
 *     their digest recomputed
 * @param running whether the program runs; a reboot after its start ends it
 * @param successor whether this agent is itself what the attempt installs
 */
public record Facts(
        boolean recovering, boolean artifactVerified, boolean running, boolean successor) {
    /** Of an attempt that is about a program. */
    public Facts(boolean recovering, boolean artifactVerified, boolean running) {
        this(recovering, artifactVerified, running, false);
    }

    /** In the middle of an attempt the question does not arise. */
    public static final Facts UNDER_WAY = new Facts(false, true, true);
}
