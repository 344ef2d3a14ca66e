package drover.gateway.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides which connections of a node are current: the later one wins, by incarnation and then by
 * dial, whatever the order of arrival (invariant C13).
 */
public final class SessionAdmissionRules {
    private SessionAdmissionRules() {}

    /**
     * Decides on an arriving session. An executor and a standby of different incarnations live side
     * by side, because a new agent waits beside the old one during a self-upgrade; an equal dial is
     * a repeated message and refused.
     */
    public static SessionAdmission decide(SessionsOfNode present, AgentSession arriving) {
        List<AgentSession> rivals =
                present.live().stream()
                        .filter(session -> isConflicting(session, arriving))
                        .toList();
        Optional<AgentSession> later =
                rivals.stream().filter(rival -> !arriving.isLaterThan(rival)).findFirst();
        if (later.isPresent()) {
            return new SessionAdmission.AlreadySuperseded(later.get());
        }
        List<AgentSession> next = new ArrayList<>(present.live());
        next.removeAll(rivals);
        next.add(arriving);
        return new SessionAdmission.Admitted(new SessionsOfNode(next), rivals);
    }

    private static boolean isConflicting(AgentSession one, AgentSession other) {
        return one.executor() == other.executor() || one.incarnation() == other.incarnation();
    }
}
