package drover.opsagent.journal;

/**
 * What is on the node now.
 *
 * @param runningDigest of what runs; empty when nothing runs
 * @param runId boot id, pid and start ticks; empty when nothing runs
 * @param configDigest over managed files and launch specification; empty when not known
 */
public record ObservedProgram(String runningDigest, String runId, String configDigest) {
    /** Nothing was looked at. */
    public static final ObservedProgram NOTHING = new ObservedProgram("", "", "");
}
