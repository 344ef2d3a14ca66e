package drover.opsagent.peers;

import drover.opsagent.engine.Delivery;
import drover.opsagent.engine.PreflightAsked;
import drover.opsagent.script.PreflightReport;
import java.util.Optional;

/** The agent behind a session. None of these may block, but {@link #self}. */
public interface Node {
    /** Everything there is to say now. */
    SelfReport self(long dial);

    /** The gateway named the node. */
    void welcomed(String nodeId);

    /** A command came. */
    void delivered(Delivery delivery);

    /** Somebody asks whether an upgrade could be done here. */
    void preflightAsked(PreflightAsked asked);

    /** What a preflight found and was not said yet; afterwards it counts as said. */
    Optional<PreflightReport> takePreflight();

    /** Attempts up to this one that were never seen shall not begin. */
    void withdrawn(long through, long epoch);

    /** Another agent took over: exit with 0. */
    void stopAsked();
}
