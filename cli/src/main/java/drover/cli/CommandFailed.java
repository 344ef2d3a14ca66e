package drover.cli;

/** A command that cannot go on, with what the person is told and the exit code. */
final class CommandFailed extends RuntimeException {
    /** All is well. */
    static final int OK = 0;

    /** Refused, or it did not end well. */
    static final int FAILED = 1;

    /** Not understood. */
    static final int USAGE = 2;

    /** No Drover answers. */
    static final int NOT_REACHABLE = 3;

    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private CommandFailed(int exitCode, String sentence) {
        super(sentence, null, false, false); // an answer, not a bug: no stack trace is wanted
        this.exitCode = exitCode;
    }

    static CommandFailed refused(String sentence) {
        return new CommandFailed(FAILED, sentence);
    }

    static CommandFailed usage(String sentence) {
        return new CommandFailed(USAGE, sentence);
    }

    static CommandFailed notReachable(String sentence) {
        return new CommandFailed(NOT_REACHABLE, sentence);
    }

    int exitCode() {
        return exitCode;
    }

    String sentence() {
        return String.valueOf(getMessage());
    }
}
