package drover.opsagent.engine;

import drover.opsagent.script.Work;

/**
 * What the control plane has said of a hand-over: one slot each, the latest counts. Written by the
 * stream's thread, read by the one that waits.
 */
public final class HandOverNotices {
    private Stop stop = new Stop(0, "");
    private long seen;

    private record Stop(long attempt, String digest) {}

    /**
     * The old agent of this attempt shall leave.
     *
     * @param digest of the successor that was heard; empty when it is not said
     */
    public synchronized void stopAsked(long attempt, String digest) {
        stop = new Stop(attempt, digest);
    }

    /** The successor of this attempt was heard. */
    public synchronized void successorSeen(long attempt) {
        seen = attempt;
    }

    /** Whether the old agent of this attempt was asked to leave the node to what it installs. */
    synchronized boolean isStopAsked(long attempt, Work.AgentUpgrade work) {
        boolean digest =
                stop.digest().isEmpty() || stop.digest().equals(work.artifact().digest().value());
        return stop.attempt() == attempt && digest;
    }

    /** Whether the successor of this attempt was heard. */
    synchronized boolean isSuccessorSeen(long attempt) {
        return seen == attempt;
    }
}
