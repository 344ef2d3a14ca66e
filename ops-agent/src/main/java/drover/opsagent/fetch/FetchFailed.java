package drover.opsagent.fetch;

import drover.opsagent.journal.ReasonCode;

/** The artifact could not be had. */
public final class FetchFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final ReasonCode reason;

    /** Says why, in one sentence that says what to do. */
    public FetchFailed(ReasonCode reason, String detail) {
        super(detail);
        this.reason = reason;
    }

    /** Why. */
    public ReasonCode reason() {
        return reason;
    }
}
