package drover.opsagent.peers;

import drover.opsagent.engine.Delivery;

/** The agent behind a session. None of these may block, but {@link #self}. */
public interface Node {
    /** Everything there is to say now. */
    SelfReport self(long dial);

    /** The gateway named the node. */
    void welcomed(String nodeId);

    /** A command came. */
    void delivered(Delivery delivery);

    /** Attempts up to this one that were never seen shall not begin. */
    void withdrawn(long through, long epoch);

    /** Another agent took over: exit with 0. */
    void stopAsked();
}
