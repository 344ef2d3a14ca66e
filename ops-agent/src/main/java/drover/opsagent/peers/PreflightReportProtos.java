package drover.opsagent.peers;

import drover.agent.v1.ActionCheck;
import drover.agent.v1.CheckOutcome;
import drover.agent.v1.PreflightReport;
import drover.opsagent.journal.ReasonCode;

/** Writes what a preflight found. */
final class PreflightReportProtos {
    /** Eight of them, and the report stays below the 16 KiB of the contract. */
    private static final int LONGEST_DETAIL = 1_000;

    private PreflightReportProtos() {}

    static PreflightReport toProto(drover.opsagent.preflight.PreflightReport report) {
        PreflightReport.Builder message =
                PreflightReport.newBuilder()
                        .setPreflightId(report.preflightId())
                        .setReason(reasonName(report.reason()))
                        .setDetail(truncate(report.detail()));
        report.checks().forEach(check -> message.addChecks(toActionCheck(check)));
        return message.build();
    }

    private static ActionCheck toActionCheck(drover.opsagent.preflight.ActionCheckResult check) {
        return ActionCheck.newBuilder()
                .setName(check.action().wireName())
                .setOutcome(
                        check.isOk()
                                ? CheckOutcome.CHECK_OUTCOME_OK
                                : CheckOutcome.CHECK_OUTCOME_WOULD_FAIL)
                .setReason(reasonName(check.reason()))
                .setDetail(truncate(check.detail()))
                .build();
    }

    private static String reasonName(ReasonCode reason) {
        return reason == ReasonCode.NONE ? "" : reason.name();
    }

    private static String truncate(String detail) {
        return detail.length() <= LONGEST_DETAIL
                ? detail
                : detail.substring(0, LONGEST_DETAIL - 1) + "…";
    }
}
