package drover.opsagent.runtime;

import drover.opsagent.journal.ReasonCode;

/** An action could not be done. */
public final class ActionFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final ReasonCode reason;

    /** Says why, in one sentence that says what to do. */
    public ActionFailed(ReasonCode reason, String detail) {
        super(detail);
        this.reason = reason;
    }

    /** Why. */
    public ReasonCode reason() {
        return reason;
    }
}
