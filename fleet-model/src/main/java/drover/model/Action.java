package drover.model;

import java.time.Duration;

/** One action of an agent's script. WHAT happens; adapters know how. */
public sealed interface Action permits UpgradeAction, AgentUpgradeAction {
    /** The name in messages and on screens. */
    String wireName();

    /** The phase that people see while this action is under way. */
    UpgradePhase phase();

    /** The most time the action may take before it counts as failed. */
    Duration timeout();

    /** Whether the action changes what runs or will run, so that it has to be undone. */
    boolean mutates();

    /**
     * The action that its record calls so.
     *
     * @param name as {@link Enum#name()} gives it; the two scripts share none
     * @throws IllegalArgumentException when there is none
     */
    static Action fromStored(String name) {
        for (AgentUpgradeAction action : AgentUpgradeAction.values()) {
            if (action.name().equals(name)) {
                return action;
            }
        }
        return UpgradeAction.valueOf(name);
    }
}
