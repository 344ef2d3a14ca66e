package drover.opsagent.engine;

import drover.opsagent.selfupgrade.AgentPackaging;

/**
 * What an agent needs in order to be replaced.
 *
 * @param exit ends this process with 0; comes back at once
 */
public record SelfUpgradeDependencies(
        AgentPackaging installation, ControlPlaneHandoverSignals messages, Runnable exit) {
    /** Of an agent that is part of something else. */
    public static SelfUpgradeDependencies ofEmbeddedAgent() {
        return new SelfUpgradeDependencies(
                new AgentPackaging.Embedded(), new ControlPlaneHandoverSignals(), () -> {});
    }
}
