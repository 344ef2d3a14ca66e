package drover.opsagent.journal;

/**
 * The steps back, in order. Never reload or start before the files are back (D6): the old binary
 * under the new configuration is the failure this product exists to prevent.
 */
public enum UndoStep {
    /** Stops whatever of the program runs. */
    STOP("restore:stop_node"),
    /** Brings back program file, configuration and launch specification. */
    FILES("restore:files"),
    /** Makes the runtime read its definitions again. */
    RELOAD("restore:reload_daemon"),
    /** Starts the program, if it was meant to run before. */
    START("restore:start_node"),
    /** Makes the agent's old version the one that a start of the machine starts. */
    CURRENT("restore:current"),
    /** Stops the agent's new version, or lets the old one take over from it. */
    SUCCESSOR("restore:successor");

    private final String wireName;

    UndoStep(String wireName) {
        this.wireName = wireName;
    }

    /** The name in messages and on screens. */
    public String wireName() {
        return wireName;
    }
}
