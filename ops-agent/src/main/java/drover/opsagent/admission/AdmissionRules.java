package drover.opsagent.admission;

import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import java.util.List;

/** Decides what becomes of a command: one comparison of attempt numbers, and a few checks (R1). */
public final class AdmissionRules {
    private AdmissionRules() {}

    /**
     * Higher attempt: new work. Equal: answered with the journal, and refused with another body.
     * Lower attempt or lower epoch: refused (C4).
     */
    public static CommandAdmissionDecision decide(
            ParsedCommand request, AgentStateAtAdmission context) {
        if (!context.executor()) {
            return rejectUnchanged(
                    ReasonCode.NOT_EXECUTOR,
                    "Another agent of this node holds the executor lock: it does the work.");
        }
        if (request.epoch() < context.highestEpoch()) {
            return rejectUnchanged(
                    ReasonCode.STALE_EPOCH,
                    "Epoch "
                            + request.epoch()
                            + " is over: "
                            + context.highestEpoch()
                            + " was seen, only its leader may send work.");
        }
        if (!context.nodeId().isEmpty() && !request.nodeId().equals(context.nodeId())) {
            return rejectUnchanged(
                    ReasonCode.WRONG_NODE,
                    "The body is for node " + request.nodeId() + ": send it there.");
        }
        if (request.attempt() <= 0) {
            return rejectUnchanged(ReasonCode.MALFORMED_BODY, "An attempt's number is at least 1.");
        }
        if (request.attempt() < context.highestAttempt()) {
            return rejectUnchanged(
                    ReasonCode.STALE_ATTEMPT,
                    "Attempt "
                            + request.attempt()
                            + " is below "
                            + context.highestAttempt()
                            + ", which was seen: send a higher number.");
        }
        return request.attempt() == context.highestAttempt()
                ? decideRepeated(request, context)
                : decideNewAttempt(request, context);
    }

    private static CommandAdmissionDecision decideRepeated(
            ParsedCommand request, AgentStateAtAdmission context) {
        Journal latest = context.latest();
        if (latest == null || latest.attempt() != request.attempt()) {
            return rejectUnchanged(
                    ReasonCode.STALE_ATTEMPT,
                    "Attempt "
                            + request.attempt()
                            + " was taken, but its journal is lost: clear the node.");
        }
        String accepted = latest.assignment().bodyDigest();
        return accepted.isEmpty() || accepted.equals(request.bodyDigest())
                ? new CommandAdmissionDecision.ReportStatus()
                : rejectUnchanged(
                        ReasonCode.BODY_DIFFERS,
                        "Attempt " + request.attempt() + " was accepted with another body.");
    }

    private static CommandAdmissionDecision decideNewAttempt(
            ParsedCommand request, AgentStateAtAdmission context) {
        Journal latest = context.latest();
        if (latest != null && !latest.hasEnded()) {
            return rejectUnchanged(
                    ReasonCode.BUSY,
                    "Attempt " + latest.attempt() + " is still under way: wait for its end.");
        }
        List<String> missing =
                request.requiredFeatures().stream()
                        .filter(feature -> !context.features().contains(feature))
                        .toList();
        if (!missing.isEmpty()) {
            return new CommandAdmissionDecision.CloseAsRefused(
                    ReasonCode.UNSUPPORTED_FEATURE,
                    "This agent lacks "
                            + String.join(", ", missing)
                            + ": upgrade the agent first.");
        }
        return switch (request.work()) {
            case ParsedCommand.WorkParseResult.Unreadable(ReasonCode reason, String detail) ->
                    new CommandAdmissionDecision.CloseAsRefused(reason, detail);
            case ParsedCommand.WorkParseResult.Valid(Work work) -> decideWork(work, context);
        };
    }

    private static CommandAdmissionDecision decideWork(Work work, AgentStateAtAdmission context) {
        return switch (work) {
            case Work.ClearFailure clear -> new CommandAdmissionDecision.Accept(clear);
            case Work.UnreadWork _ ->
                    new CommandAdmissionDecision.CloseAsRefused(
                            ReasonCode.UNKNOWN_WORK,
                            "The body asks for nothing: upgrade the agent.");
            case Work.Upgrade _, Work.Restore _, Work.AgentUpgrade _ ->
                    context.needsClear()
                            ? new CommandAdmissionDecision.CloseAsRefused(
                                    ReasonCode.NEEDS_CLEAR,
                                    "The node could not be brought back earlier: repair it, then"
                                            + " run drover node clear.")
                            : new CommandAdmissionDecision.Accept(work);
        };
    }

    /**
     * Whether a withdrawal through this attempt takes effect: nothing is under way and the attempt
     * was never seen. Attempts that began finish.
     */
    public static boolean isWithdrawable(long through, long epoch, AgentStateAtAdmission context) {
        Journal latest = context.latest();
        return context.executor()
                && epoch >= context.highestEpoch()
                && through > context.highestAttempt()
                && (latest == null || latest.hasEnded());
    }

    private static CommandAdmissionDecision rejectUnchanged(ReasonCode reason, String detail) {
        return new CommandAdmissionDecision.RejectWithoutAttempt(reason, detail);
    }
}
