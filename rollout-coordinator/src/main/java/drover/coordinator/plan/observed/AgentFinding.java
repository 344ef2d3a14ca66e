package drover.coordinator.plan.observed;

import java.util.Set;

/**
 * Something an agent noticed by itself, as its latest heartbeat says.
 *
 * @param code stable code, such as {@link #DRIFT}
 * @param program program concerned; empty when the node as a whole is
 * @param detail one sentence
 */
public record AgentFinding(String code, String program, String detail) {
    /** Somebody changed something without an attempt. */
    public static final String DRIFT = "DRIFT";

    /** A program falls again and again. */
    public static final String CRASH_LOOP = "CRASH_LOOP";

    /** A gateway or this coordinator rejected a message of the agent. */
    public static final String MESSAGE_REJECTED = "MESSAGE_REJECTED";

    /** The agent's directory has no space for records of attempts. */
    public static final String DISK_FULL = "DISK_FULL";

    /** The agent's directory cannot be written. */
    public static final String DISK_ERROR = "DISK_ERROR";

    private static final Set<String> DISBELIEF =
            Set.of(
                    "COMMAND_UNSIGNED",
                    "COMMAND_SIGNER_UNKNOWN",
                    "COMMAND_ALTERED",
                    "COMMAND_EXPIRED",
                    "COMMAND_REPLAYED",
                    "TRUST_UNUSABLE",
                    "RENEWAL_SUSPECT");

    /**
     * Whether the node rejected what a gateway sent: a command that is not signed as its owner
     * demands, or a renewal that would change whom it trusts.
     */
    public boolean isRejectedCommand() {
        return DISBELIEF.contains(code);
    }
}
