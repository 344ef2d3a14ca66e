package drover.opsagent.docker.engine;

import org.jspecify.annotations.Nullable;

/** The engine did not do what it was asked. */
public final class EngineFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final Cause kind;

    private enum Cause {
        UNAVAILABLE,
        REFUSED,
        TROUBLED
    }

    private EngineFailed(Cause kind, String what, @Nullable Throwable cause) {
        super(what, cause);
        this.kind = kind;
    }

    /** It did not answer, or not in time; what was asked may or may not have been done. */
    public static EngineFailed unavailable(String what, @Nullable Throwable cause) {
        return new EngineFailed(Cause.UNAVAILABLE, what, cause);
    }

    /** It answered no. */
    public static EngineFailed rejected(String what) {
        return new EngineFailed(Cause.REFUSED, what, null);
    }

    /** It failed in itself; one that is about to end answers like this, too. */
    static EngineFailed serverError(String what) {
        return new EngineFailed(Cause.TROUBLED, what, null);
    }

    /** Whether it may have been about to end: what was asked is worth asking again. */
    boolean isServerError() {
        return kind == Cause.TROUBLED;
    }

    /** Whether the engine could not be asked: it may be starting again. */
    public boolean isUnavailable() {
        return kind == Cause.UNAVAILABLE;
    }

    /** What it said, without a full stop, to be put into a sentence. */
    public String message() {
        String message = String.valueOf(getMessage());
        return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
    }
}
