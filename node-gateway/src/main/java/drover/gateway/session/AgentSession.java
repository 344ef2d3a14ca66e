package drover.gateway.session;

/**
 * One connection of a node's agent.
 *
 * @param id unique over all gateways and times
 * @param incarnation counts the starts of agents on the node
 * @param connectionNumber counts the connections of this incarnation
 * @param executor whether the agent holds the node's executor lock; otherwise it is a standby
 */
public record AgentSession(String id, long incarnation, long connectionNumber, boolean executor) {
    /** Whether this connection was made after the other, as the node counts. */
    boolean isLaterThan(AgentSession other) {
        return incarnation == other.incarnation
                ? connectionNumber > other.connectionNumber
                : incarnation > other.incarnation;
    }
}
