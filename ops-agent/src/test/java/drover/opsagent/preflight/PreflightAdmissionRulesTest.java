package drover.opsagent.preflight;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.opsagent.admission.AgentStateAtAdmission;
import drover.opsagent.admission.ParsedCommand;
import drover.opsagent.journal.Assignment;
import drover.opsagent.journal.Journal;
import drover.opsagent.journal.ObservedProgram;
import drover.opsagent.journal.PreUpgradeState;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PreflightAdmissionRulesTest {
    private static final ParsedCommand.WorkParseResult CLEAR =
            new ParsedCommand.WorkParseResult.Valid(new Work.ClearFailure("why"));

    private static ParsedCommand request(
            long epoch, ParsedCommand.WorkParseResult work, String... features) {
        return new ParsedCommand("n1", "r1", 0, epoch, "digest", List.of(features), work);
    }

    private static AgentStateAtAdmission admissionContext(
            boolean executor, @Nullable Journal latest, boolean stuck) {
        return new AgentStateAtAdmission(
                "n1", executor, 4, 7, latest, stuck, Set.of("preflight/1"));
    }

    private static Journal open() {
        return Journal.accepted(
                new Assignment(
                        4, "", "r0", new Work.ClearFailure("why"), Duration.ofSeconds(1), "s"),
                new PreUpgradeState.NotNeeded());
    }

    private static ReasonCode reason(ParsedCommand request, AgentStateAtAdmission context) {
        PreflightReport report =
                PreflightAdmissionRules.findRefusal("asked", request, context).orElseThrow();
        assertThat(report.preflightId()).isEqualTo("asked");
        assertThat(report.checks()).isEmpty();
        assertThat(report.detail()).endsWith(".").contains(": ");
        return report.reason();
    }

    @Test
    void aStandbyChecksNothing() {
        assertThat(reason(request(7, CLEAR), admissionContext(false, null, false)))
                .isEqualTo(ReasonCode.NOT_EXECUTOR);
    }

    @Test
    @DisplayName("B4: an earlier leader is not answered; the epoch itself is not kept by a look")
    void anEarlierLeaderIsNotAnswered() {
        assertThat(reason(request(6, CLEAR), admissionContext(true, null, false)))
                .isEqualTo(ReasonCode.STALE_EPOCH);
    }

    @Test
    void anAttemptUnderWayIsNotDisturbed() {
        assertThat(reason(request(7, CLEAR), admissionContext(true, open(), false)))
                .isEqualTo(ReasonCode.BUSY)
                .isEqualTo(PreflightAdmissionRules.busyReport("asked").reason());
        Journal over =
                open().withResult(
                                AttemptOutcome.FAILED,
                                ReasonCode.INTERNAL,
                                "",
                                ObservedProgram.NOTHING);
        assertThat(reason(request(7, CLEAR), admissionContext(true, over, false)))
                .isEqualTo(ReasonCode.UNKNOWN_WORK);
    }

    @Test
    void skipsAMarkedNode() {
        assertThat(reason(request(7, CLEAR), admissionContext(true, null, true)))
                .isEqualTo(ReasonCode.NEEDS_CLEAR);
    }

    @Test
    @DisplayName("C15: what this agent lacks, and what cannot be read, is never looked at")
    void whatIsNotUnderstoodIsRefused() {
        assertThat(reason(request(7, CLEAR, "upgrade/9"), admissionContext(true, null, false)))
                .isEqualTo(ReasonCode.UNSUPPORTED_FEATURE);
        ParsedCommand.WorkParseResult unread =
                new ParsedCommand.WorkParseResult.Unreadable(
                        ReasonCode.MALFORMED_BODY, "size: it is negative.");
        assertThat(reason(request(7, unread), admissionContext(true, null, false)))
                .isEqualTo(ReasonCode.MALFORMED_BODY);
    }
}
