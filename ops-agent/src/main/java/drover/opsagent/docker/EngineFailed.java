package drover.opsagent.docker;

import org.jspecify.annotations.Nullable;

/** The engine did not do what it was asked. */
public final class EngineFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final boolean away;

    private EngineFailed(boolean away, String what, @Nullable Throwable cause) {
        super(what, cause);
        this.away = away;
    }

    /** It did not answer, or not in time; what was asked may or may not have been done. */
    static EngineFailed away(String what, @Nullable Throwable cause) {
        return new EngineFailed(true, what, cause);
    }

    /** It answered no. */
    static EngineFailed refused(String what) {
        return new EngineFailed(false, what, null);
    }

    /** Whether the engine could not be asked: it may be starting again. */
    public boolean isAway() {
        return away;
    }

    /** What it said, without a full stop, to be put into a sentence. */
    String what() {
        String message = String.valueOf(getMessage());
        return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
    }
}
