package drover.opsagent.engine;

import drover.opsagent.journal.Work;

/**
 * What the control plane has said of a hand-over: one slot each, the latest counts. Written by the
 * stream's thread, read by the one that waits.
 */
public final class ControlPlaneHandoverSignals {
    private static final StopRequest NONE = new StopRequest(0, "", new byte[0]);

    private StopRequest stop = NONE;
    private long connectedAttempt;

    /**
     * The old agent of an attempt shall leave.
     *
     * @param authorization what the leader signed over it, not verified
     */
    @SuppressWarnings("ArrayRecordComponent") // passed on as it is, never compared
    record StopRequest(long attempt, String digest, byte[] authorization) {
        /** Whether the old agent of this attempt is asked to leave the node to what it installs. */
        boolean matches(long upgrade, Work.AgentUpgrade work) {
            return attempt == upgrade
                    && (digest.isEmpty() || digest.equals(work.artifact().digest().value()));
        }
    }

    /**
     * The old agent of this attempt shall leave.
     *
     * @param digest of the successor that was heard; empty when it is not said
     * @param authorization what the leader signed over it; empty for nothing
     */
    public synchronized void setStopRequest(long attempt, String digest, byte[] authorization) {
        stop = new StopRequest(attempt, digest, authorization);
    }

    /** The same, unsigned. */
    public void setStopRequest(long attempt, String digest) {
        setStopRequest(attempt, digest, new byte[0]);
    }

    /** The successor of this attempt was heard. */
    public synchronized void setSuccessorConnected(long attempt) {
        connectedAttempt = attempt;
    }

    /** What was asked last. */
    synchronized StopRequest stopRequest() {
        return stop;
    }

    /** This was not believed; whatever came since stays. */
    synchronized void discardStopRequest(StopRequest disbelieved) {
        if (stop.equals(disbelieved)) {
            stop = NONE;
        }
    }

    /** Whether the successor of this attempt was heard. */
    synchronized boolean isSuccessorConnected(long attempt) {
        return connectedAttempt == attempt;
    }
}
