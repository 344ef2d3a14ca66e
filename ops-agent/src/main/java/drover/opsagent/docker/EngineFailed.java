package drover.opsagent.docker;

import org.jspecify.annotations.Nullable;

/** The engine did not do what it was asked. */
public final class EngineFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final Kind kind;

    private enum Kind {
        AWAY,
        REFUSED,
        TROUBLED
    }

    private EngineFailed(Kind kind, String what, @Nullable Throwable cause) {
        super(what, cause);
        this.kind = kind;
    }

    /** It did not answer, or not in time; what was asked may or may not have been done. */
    static EngineFailed away(String what, @Nullable Throwable cause) {
        return new EngineFailed(Kind.AWAY, what, cause);
    }

    /** It answered no. */
    static EngineFailed refused(String what) {
        return new EngineFailed(Kind.REFUSED, what, null);
    }

    /** It failed in itself; one that is about to end answers like this, too. */
    static EngineFailed troubled(String what) {
        return new EngineFailed(Kind.TROUBLED, what, null);
    }

    /** Whether it may have been about to end: what was asked is worth asking again. */
    boolean isTroubled() {
        return kind == Kind.TROUBLED;
    }

    /** Whether the engine could not be asked: it may be starting again. */
    public boolean isAway() {
        return kind == Kind.AWAY;
    }

    /** What it said, without a full stop, to be put into a sentence. */
    String what() {
        String message = String.valueOf(getMessage());
        return message.endsWith(".") ? message.substring(0, message.length() - 1) : message;
    }
}
