package drover.coordinator.plan.group;

import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.BinaryName;
import java.time.Duration;

/**
 * One program of a group, frozen at creation.
 *
 * @param index place in the order, from 0
 * @param desired version that shall run in the end
 * @param upgradeId manifest it came from; empty when created by hand
 * @param rollout its rollout, created with the group
 * @param healthWait how long programs must have been well at the gate after it
 * @param crashLoopRestarts restarts at the gate from which a program is in a crash loop
 */
public record GroupComponent(
        int index,
        BinaryName binary,
        Version desired,
        String upgradeId,
        RolloutId rollout,
        Duration healthWait,
        int crashLoopRestarts) {
    /** Two heartbeats of an idle agent (30 s), and as much again to begin listening. */
    private static final Duration HEARTBEAT_GRACE = Duration.ofMinutes(2);

    /**
     * How long the gate after it waits for verdicts: what a settling node has ({@code
     * RolloutSpec.healthDeadline}), after the time in which every agent is heard.
     */
    public Duration gateTimeout() {
        return HEARTBEAT_GRACE.plus(healthWait.multipliedBy(3));
    }

    /** As people read it, counted from 1. */
    public String displayName() {
        return "component " + (index + 1) + " (" + binary + ")";
    }
}
