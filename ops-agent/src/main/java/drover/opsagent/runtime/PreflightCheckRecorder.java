package drover.opsagent.runtime;

import drover.model.UpgradeAction;
import java.util.function.Supplier;

/** Records which actions of an upgrade would fail. */
public interface PreflightCheckRecorder {
    /**
     * Checks whether an action would succeed. The check changes nothing and fails as the action
     * would. A failure is recorded, and further checks can follow.
     *
     * @return result of the check, or {@code ifFailed}
     */
    <T> T evaluate(UpgradeAction action, Supplier<T> check, T ifFailed);

    /**
     * Runs a check without a result.
     *
     * @return whether it passed
     */
    default boolean run(UpgradeAction action, Runnable check) {
        return evaluate(
                action,
                () -> {
                    check.run();
                    return true;
                },
                false);
    }
}
