package drover.cli.terminal;

/**
 * A command that cannot go on, with what the person is told and the exit code. Thrown by any
 * command, also by those that a larger program adds.
 */
public final class CommandFailed extends RuntimeException {
    /** All is well. */
    public static final int OK = 0;

    /** Refused, or it did not end well. */
    public static final int FAILED = 1;

    /** Not understood. */
    public static final int USAGE = 2;

    /** No Drover answers. */
    public static final int NOT_REACHABLE = 3;

    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private CommandFailed(int exitCode, String sentence) {
        super(sentence, null, false, false); // an answer, not a bug: no stack trace is wanted
        this.exitCode = exitCode;
    }

    /** It cannot be done; the sentence says why and what to do. */
    public static CommandFailed refused(String sentence) {
        return new CommandFailed(FAILED, sentence);
    }

    /** It was not understood; the sentence says what to write. */
    public static CommandFailed usage(String sentence) {
        return new CommandFailed(USAGE, sentence);
    }

    /** Nobody answers; the sentence says where and what to do. */
    public static CommandFailed unreachable(String sentence) {
        return new CommandFailed(NOT_REACHABLE, sentence);
    }

    public int exitCode() {
        return exitCode;
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }
}
