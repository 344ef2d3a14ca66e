package drover.opsagent.engine;

/** Puts a failure to start into one sentence for a person. */
public final class StateProblem {
    private StateProblem() {}

    /** The sentence; never a stack trace. */
    public static String sentence(RuntimeException failure) {
        return failure.getMessage() == null
                ? "The agent cannot start: its log has the details."
                : failure.getMessage();
    }
}
