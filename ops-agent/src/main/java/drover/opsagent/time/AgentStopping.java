package drover.opsagent.time;

/** The agent is being closed: work stops where it is and is taken up by the next start. */
public final class AgentStopping extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The agent closes itself, for the reason given. */
    public AgentStopping(String why) {
        super(why);
    }

    /** Names the interruption that told of it. */
    public AgentStopping(Exception cause) {
        super("The agent is being closed", cause);
    }
}
