package drover.gateway.session;

import drover.model.program.BinaryName;
import java.util.List;

/**
 * The second agent of a node: connected beside the executor without its lock, as a successor is
 * during a self-upgrade (seed 001). Known by its own session alone, so that the agent that is to go
 * has no say in whether another one is there.
 *
 * @param sessionId empty for {@link #NONE}
 * @param digest of what the agent itself runs, by its latest heartbeat; empty before the first
 * @param incarnation counts the starts of agents on the node
 * @param running whether its latest heartbeat said that it runs and is not being replaced itself
 */
public record StandbyAgent(
        String sessionId, String agentVersion, String digest, long incarnation, boolean running) {
    /** No standby is connected. */
    public static final StandbyAgent NONE = new StandbyAgent("", "", "", 0, false);

    /** A standby that has only said hello: a Hello is no heartbeat, so it does not run yet. */
    static StandbyAgent fromHello(AgentSession session, NodeInventory inventory) {
        return new StandbyAgent(
                session.id(), inventory.agentVersion(), "", session.incarnation(), false);
    }

    /** The standby once a heartbeat of its session came. */
    StandbyAgent withHeartbeat(List<ProgramObservation> signals, boolean draining) {
        return signals.stream()
                .filter(signal -> signal.name().equals(BinaryName.AGENT.value()))
                .findFirst()
                .map(itself -> withObservation(itself, draining))
                .orElse(new StandbyAgent(sessionId, agentVersion, "", incarnation, false));
    }

    private StandbyAgent withObservation(ProgramObservation itself, boolean draining) {
        return new StandbyAgent(
                sessionId,
                agentVersion,
                itself.runningDigest(),
                incarnation,
                !itself.runId().isEmpty() && !draining);
    }
}
