package drover.opsagent.preflight;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.UpgradeAction;
import drover.opsagent.journal.ReasonCode;
import java.util.List;
import org.assertj.core.api.AbstractAssert;

/** What a preflight is to have found. */
public final class PreflightReportAssert
        extends AbstractAssert<PreflightReportAssert, PreflightReport> {
    private PreflightReportAssert(PreflightReport report) {
        super(report, PreflightReportAssert.class);
    }

    /** Looks at a report. */
    public static PreflightReportAssert assertThatReport(PreflightReport report) {
        return new PreflightReportAssert(report);
    }

    /** All eight actions would be done. */
    public PreflightReportAssert findsNothingWrong() {
        assertThat(actual.reason()).isEqualTo(ReasonCode.NONE);
        assertThat(actual.checks())
                .extracting(ActionCheckResult::action)
                .containsExactly(UpgradeAction.values());
        assertThat(failing()).as("%s", actual.checks()).isEmpty();
        return this;
    }

    /** Just this action would fail, and the sentence says what to do. */
    public PreflightReportAssert findsJust(UpgradeAction action, ReasonCode reason) {
        findsJust(List.of(action));
        finds(action, reason);
        assertThat(check(action).detail()).endsWith(".").contains(": ");
        return this;
    }

    /** Just these actions would fail. */
    public PreflightReportAssert findsJust(List<UpgradeAction> actions) {
        assertThat(failing()).as("%s", actual.checks()).isEqualTo(actions);
        return this;
    }

    /** This action would fail, others maybe too. */
    public PreflightReportAssert finds(UpgradeAction action, ReasonCode reason) {
        assertThat(check(action).reason()).as("%s", actual.checks()).isEqualTo(reason);
        return this;
    }

    /** The same, and its sentence has these words. */
    public PreflightReportAssert finds(UpgradeAction action, ReasonCode reason, String words) {
        finds(action, reason);
        assertThat(check(action).detail()).contains(words);
        return this;
    }

    private List<UpgradeAction> failing() {
        return actual.checks().stream()
                .filter(check -> !check.isOk())
                .map(ActionCheckResult::action)
                .toList();
    }

    private ActionCheckResult check(UpgradeAction action) {
        return actual.checks().stream()
                .filter(check -> check.action() == action)
                .findFirst()
                .orElseThrow();
    }
}
