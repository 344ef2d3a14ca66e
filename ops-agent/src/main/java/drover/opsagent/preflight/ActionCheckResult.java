package drover.opsagent.preflight;

import drover.model.UpgradeAction;
import drover.opsagent.journal.ReasonCode;

/**
 * What would come of one action, as far as that shows without doing it.
 *
 * @param reason why it would fail; {@link ReasonCode#NONE} when nothing was found
 * @param detail one sentence that says what to do; empty when nothing was found
 */
public record ActionCheckResult(UpgradeAction action, ReasonCode reason, String detail) {
    /** Nothing was found that would keep it from being done. */
    public static ActionCheckResult ok(UpgradeAction action) {
        return new ActionCheckResult(action, ReasonCode.NONE, "");
    }

    /** Whether it would be done. */
    public boolean isOk() {
        return reason == ReasonCode.NONE;
    }
}
