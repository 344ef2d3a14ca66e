package drover.model;

import java.time.Duration;

/**
 * The five actions by which an agent replaces itself, in order (seed 001: Draining, Staging,
 * Verifying, Cutover-Ready, Stopping).
 */
public enum AgentUpgradeAction implements Action {
    /** Takes no other work any more. */
    DRAIN("drain", UpgradePhase.PREPARING, Duration.ofSeconds(30)),
    /** Puts the new version beside the others. */
    STAGE("stage", UpgradePhase.PREPARING, Duration.ofMinutes(5)),
    /** Lets the new version test itself. */
    VERIFY("verify", UpgradePhase.PREPARING, Duration.ofMinutes(1)),
    /** Makes the new version the one that a start of the machine starts. */
    SWAP("swap", UpgradePhase.MUTATING, Duration.ofSeconds(30)),
    /**
     * Both agents live, until the control plane lets the old one go. Its end is no matter of time
     * alone.
     */
    HANDOVER("handover", UpgradePhase.STARTING, Duration.ofMinutes(1));

    private final String wireName;
    private final UpgradePhase phase;
    private final Duration timeout;

    AgentUpgradeAction(String wireName, UpgradePhase phase, Duration timeout) {
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

    @Override
    public boolean mutates() {
        return compareTo(SWAP) >= 0;
    }
}
