package drover.opsagent.admission;

import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;

/** What becomes of a command. */
public sealed interface CommandAdmissionDecision {
    /** New work: begin it. */
    record Accept(Work work) implements CommandAdmissionDecision {}

    /** Known: answer with the journal and do nothing (C2). */
    record ReportStatus() implements CommandAdmissionDecision {}

    /** New, but it will never begin: close the attempt as refused. */
    record CloseAsRefused(ReasonCode reason, String detail) implements CommandAdmissionDecision {}

    /** Not for us or not now: say so, and leave every attempt as it is. */
    record RejectWithoutAttempt(ReasonCode reason, String detail)
            implements CommandAdmissionDecision {}
}
