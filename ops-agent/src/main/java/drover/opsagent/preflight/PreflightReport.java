package drover.opsagent.preflight;

import drover.opsagent.journal.ReasonCode;
import java.util.List;

/**
 * What a preflight found on this node.
 *
 * @param preflightId the asking that it answers
 * @param checks all eight actions in their order; empty when nothing was looked at
 * @param reason why nothing was looked at; {@link ReasonCode#NONE} when it was
 * @param detail the same in one sentence
 */
public record PreflightReport(
        String preflightId, List<ActionCheckResult> checks, ReasonCode reason, String detail) {
    public PreflightReport {
        checks = List.copyOf(checks);
    }

    /** The node was looked at. */
    public static PreflightReport ofChecks(String preflightId, List<ActionCheckResult> checks) {
        return new PreflightReport(preflightId, checks, ReasonCode.NONE, "");
    }

    /** Nothing was looked at. */
    public static PreflightReport ofRefusal(String preflightId, ReasonCode reason, String detail) {
        return new PreflightReport(preflightId, List.of(), reason, detail);
    }
}
