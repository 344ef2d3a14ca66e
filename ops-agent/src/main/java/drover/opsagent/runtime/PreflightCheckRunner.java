package drover.opsagent.runtime;

import drover.model.UpgradeAction;

/** Takes down which actions of an upgrade would fail. */
@FunctionalInterface
public interface PreflightCheckRunner {
    /**
     * Looks whether an action could be done. The look changes nothing, and fails as the action
     * would; what it fails with is taken down, and the next look follows.
     */
    void run(UpgradeAction action, Runnable check);
}
