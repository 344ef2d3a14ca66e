package drover.coordinator.plan.model;

import java.util.Set;

/**
 * How a node would be brought back to what it runs now, decided when the rollout is created and
 * shown before it is started (DESIGN § 4, Rollback).
 */
public enum RestoreSource {
    /** From the verified backup that its agent makes before it changes anything (invariant D8). */
    BACKUP,
    /** Installed anew from where it came from; only while no configuration changes. */
    ADDRESS,
    /** Not at all: the node is shown as {@code NOT_ROLLBACKABLE}. */
    NONE;

    /** An agent that says so keeps a backup of every attempt and restores from it. */
    static final String RESTORE_FEATURE = "restore/1";

    /** An agent that says so installs the previous artifact anew when there is no backup. */
    static final String REINSTALL_FEATURE = "restore-by-address/1";

    /**
     * The way back of one node.
     *
     * @param features what its agent says it can do; empty when it never said
     * @param sourceUrl where the version it runs came from; empty when not known
     * @param changesConfig whether configuration or launch would change too
     */
    public static RestoreSource of(Set<String> features, String sourceUrl, boolean changesConfig) {
        if (features.contains(RESTORE_FEATURE)) {
            return BACKUP;
        }
        boolean address =
                features.contains(REINSTALL_FEATURE) && !sourceUrl.isEmpty() && !changesConfig;
        return address ? ADDRESS : NONE;
    }
}
