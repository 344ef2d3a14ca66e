package drover.opsagent.admission;

import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;

/** What becomes of a command. */
public sealed interface CommandAdmission {
    /** New work: begin it. */
    record Accept(Work work) implements CommandAdmission {}

    /** Known: answer with the journal and do nothing (C2). */
    record ReportStatus() implements CommandAdmission {}

    /** New, but it will never begin: close the attempt as refused. */
    record CloseAsRefused(ReasonCode reason, String detail) implements CommandAdmission {}

    /** Not for us or not now: say so, and leave every attempt as it is. */
    record RejectWithoutAttempt(ReasonCode reason, String detail) implements CommandAdmission {}
}
