package drover.gateway.session;

import java.util.List;
import java.util.Optional;

/**
 * The live sessions of one node: at most one executor and one standby (invariant C13).
 *
 * @param live in the order in which they were admitted
 */
public record SessionsOfNode(List<AgentSession> live) {
    /** No agent is connected. */
    public static final SessionsOfNode NONE = new SessionsOfNode(List.of());

    /** Fails, with {@link IllegalArgumentException}, for two sessions of one role. */
    public SessionsOfNode {
        live = List.copyOf(live);
        if (live.stream().map(AgentSession::executor).distinct().count() < live.size()) {
            throw new IllegalArgumentException("Two sessions of one role: " + live);
        }
    }

    /** The session of the agent that does the work. */
    public Optional<AgentSession> executor() {
        return live.stream().filter(AgentSession::executor).findFirst();
    }

    /** Whether this session is live. */
    public boolean contains(String sessionId) {
        return live.stream().anyMatch(session -> session.id().equals(sessionId));
    }

    /** What is left when a session ends. */
    public SessionsOfNode without(String sessionId) {
        return new SessionsOfNode(
                live.stream().filter(session -> !session.id().equals(sessionId)).toList());
    }
}
