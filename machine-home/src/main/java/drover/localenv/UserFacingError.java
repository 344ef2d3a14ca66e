package drover.localenv;

/**
 * The mesh cannot start or stop as asked. The message is one sentence for the operator that says
 * what to do; it is printed as it is, without a stack trace.
 */
public class UserFacingError extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param sentence what is wrong and what to do
     */
    public UserFacingError(String sentence) {
        super(sentence);
    }

    /**
     * @param sentence what is wrong and what to do
     * @param cause what was found, for the log
     */
    public UserFacingError(String sentence, Throwable cause) {
        super(sentence, cause);
    }

    /** What to tell the operator. */
    public String message() {
        return getMessage() == null ? "Drover cannot start." : getMessage();
    }
}
