package drover.gateway.session;

import java.util.List;

/** What becomes of a node that dials. */
public sealed interface SessionAdmission {
    /**
     * The session is current from now on.
     *
     * @param superseded sessions that it replaces and that must be closed
     */
    record Admitted(SessionsOfNode next, List<AgentSession> superseded)
            implements SessionAdmission {
        public Admitted {
            superseded = List.copyOf(superseded);
        }
    }

    /** A later connection of the same node is here; this one was overtaken. */
    record AlreadySuperseded(AgentSession by) implements SessionAdmission {}
}
