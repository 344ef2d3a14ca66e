package drover.opsagent.main;

/** Puts a failure to start into one sentence for a person. */
public final class StartupErrorMessage {
    private StartupErrorMessage() {}

    /** The sentence; never a stack trace. */
    public static String message(RuntimeException failure) {
        return failure.getMessage() == null
                ? "The agent cannot start: its log has the details."
                : failure.getMessage();
    }
}
