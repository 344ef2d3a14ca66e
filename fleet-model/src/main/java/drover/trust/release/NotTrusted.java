package drover.trust.release;

/**
 * A signed document that is not believed. The message is one sentence that says what is wrong and
 * what to do.
 */
public final class NotTrusted extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final RejectionReason attack;

    NotTrusted(RejectionReason attack, String sentence) {
        super(sentence, null, false, false); // an answer, not a bug: no stack trace is wanted
        this.attack = attack;
    }

    static NotTrusted malformed(String what) {
        return new NotTrusted(RejectionReason.MALFORMED, what);
    }

    /** What somebody would be up to who brought it. */
    public RejectionReason reason() {
        return attack;
    }

    /** What is wrong, and what to do. */
    public String sentence() {
        return String.valueOf(getMessage());
    }
}
