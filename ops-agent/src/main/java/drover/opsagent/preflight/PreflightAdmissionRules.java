package drover.opsagent.preflight;

import drover.opsagent.admission.AdmissionRules;
import drover.opsagent.admission.AgentStateAtAdmission;
import drover.opsagent.admission.ParsedCommand;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import java.util.Optional;

/**
 * Decides whether a node may be looked at for an upgrade. As {@link AdmissionRules}, but for the
 * attempt: a preflight takes none, so it leaves neither a journal nor a floor behind.
 */
public final class PreflightAdmissionRules {
    private static final String BUSY = "An attempt is under way: ask again when it has ended.";

    private PreflightAdmissionRules() {}

    /** Why the node is not looked at; empty when it may be. */
    public static Optional<PreflightReport> findRefusal(
            String preflightId, ParsedCommand request, AgentStateAtAdmission context) {
        ReasonCode reason = findRefusalReason(request, context);
        return reason == ReasonCode.NONE
                ? Optional.empty()
                : Optional.of(
                        PreflightReport.ofRefusal(
                                preflightId, reason, describeReason(reason, request)));
    }

    /** The answer while an attempt is under way. */
    public static PreflightReport busyReport(String preflightId) {
        return PreflightReport.ofRefusal(preflightId, ReasonCode.BUSY, BUSY);
    }

    private static ReasonCode findRefusalReason(
            ParsedCommand request, AgentStateAtAdmission context) {
        if (!context.executor()) {
            return ReasonCode.NOT_EXECUTOR;
        }
        if (request.epoch() < context.highestEpoch()) {
            return ReasonCode.STALE_EPOCH;
        }
        if (!context.nodeId().isEmpty() && !request.nodeId().equals(context.nodeId())) {
            return ReasonCode.WRONG_NODE;
        }
        if (context.latest() != null && !context.latest().hasEnded()) {
            return ReasonCode.BUSY;
        }
        if (!context.features().containsAll(request.requiredFeatures())) {
            return ReasonCode.UNSUPPORTED_FEATURE;
        }
        if (context.needsClear()) {
            return ReasonCode.NEEDS_CLEAR;
        }
        return switch (request.work()) {
            case ParsedCommand.WorkParseResult.Unreadable(ReasonCode unread, String _) -> unread;
            case ParsedCommand.WorkParseResult.Valid(Work work) ->
                    work instanceof Work.Upgrade ? ReasonCode.NONE : ReasonCode.UNKNOWN_WORK;
        };
    }

    private static String describeReason(ReasonCode reason, ParsedCommand request) {
        if (request.work()
                        instanceof
                        ParsedCommand.WorkParseResult.Unreadable(ReasonCode unread, String why)
                && unread == reason) {
            return why;
        }
        return switch (reason) {
            case NOT_EXECUTOR -> "Another agent of this node holds the executor lock: ask again.";
            case STALE_EPOCH -> "A later leader was seen: ask again.";
            case WRONG_NODE -> "The body is for node " + request.nodeId() + ": send it there.";
            case BUSY -> BUSY;
            case UNSUPPORTED_FEATURE ->
                    "This agent lacks one of "
                            + String.join(", ", request.requiredFeatures())
                            + ": upgrade the agent first.";
            case NEEDS_CLEAR ->
                    "The node could not be brought back earlier: repair it, then run drover node"
                            + " clear.";
            default -> "The body asks for no upgrade: ask for one.";
        };
    }
}
