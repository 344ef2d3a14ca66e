package drover.model;

import java.time.Duration;
import java.util.Optional;

/**
 * The eight actions of an upgrade, in order (seed 000, Action Primitives). WHAT happens; adapters
 * know how.
 */
public enum UpgradeAction implements Action {
    /** Copies the running version and its configuration aside. */
    BACKUP_STATE("backup_state", UpgradePhase.PREPARING, Duration.ofMinutes(1)),
    /** Fetches the artifact to a private staging place. */
    ACQUIRE_ARTIFACT("acquire_artifact", UpgradePhase.PREPARING, Duration.ofMinutes(5)),
    /** Checks the digest of what was fetched. */
    VERIFY_ARTIFACT("verify_artifact", UpgradePhase.PREPARING, Duration.ofSeconds(30)),
    /** Stops the program. */
    STOP_NODE("stop_node", UpgradePhase.STOPPED, Duration.ofSeconds(60)),
    /** Puts the new program file in place of the old. */
    INSTALL_ARTIFACT("install_artifact", UpgradePhase.MUTATING, Duration.ofSeconds(30)),
    /** Writes the configuration files. */
    WRITE_CONFIGS("write_configs", UpgradePhase.MUTATING, Duration.ofSeconds(30)),
    /** Makes the runtime read its definitions again. */
    RELOAD_DAEMON("reload_daemon", UpgradePhase.MUTATING, Duration.ofSeconds(10)),
    /** Starts the program. */
    START_NODE("start_node", UpgradePhase.STARTING, Duration.ofSeconds(30));

    private final String wireName;
    private final UpgradePhase phase;
    private final Duration timeout;

    UpgradeAction(String wireName, UpgradePhase phase, Duration timeout) {
        this.wireName = wireName;
        this.phase = phase;
        this.timeout = timeout;
    }

    @Override
    public String wireName() {
        return wireName;
    }

    @Override
    public UpgradePhase phase() {
        return phase;
    }

    @Override
    public Duration timeout() {
        return timeout;
    }

    /** Whether the action changes the node that runs: from {@link #STOP_NODE} on. */
    @Override
    public boolean mutates() {
        return compareTo(STOP_NODE) >= 0;
    }

    /** The action with this wire name, if there is one. */
    public static Optional<UpgradeAction> byWireName(String wireName) {
        for (UpgradeAction action : values()) {
            if (action.wireName.equals(wireName)) {
                return Optional.of(action);
            }
        }
        return Optional.empty();
    }
}
