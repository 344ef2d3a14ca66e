package drover.coordinator.plan.observed;

/**
 * The second agent of a node, as its own session says: connected without the executor lock, as a
 * successor is while it waits for the old agent to go (seed 001).
 *
 * @param version {@code unknown} when it does not say
 * @param digest of what it runs itself; empty before its first heartbeat
 * @param incarnation counts the starts of agents on the node
 * @param running whether a heartbeat of its own said that it runs and is not being replaced
 */
public record StandbyAgent(String version, String digest, long incarnation, boolean running) {}
