package drover.opsagent.engine;

import drover.opsagent.journal.ReasonCode;
import drover.opsagent.runtime.ActionFailed;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this agent doubts of what came to it: commands that no gate believes, and a second body
 * under one number. Written by the desk, read by any thread.
 */
final class RejectedCommands {
    private static final Logger LOG = LoggerFactory.getLogger(RejectedCommands.class);

    private volatile @Nullable AgentFinding bodyFinding;
    private volatile @Nullable AgentFinding rejection;

    /**
     * Whether the gate lets a command through. What is not believed leaves no trace but this word
     * of it: an attempt that anybody could name would be a number that the coordinator can never
     * use. A second copy of what was accepted may have waited behind the work for so long that it
     * is over: that is nobody's deed.
     *
     * @param floor the highest attempt that was accepted or withdrawn
     */
    boolean authorize(long attempt, long floor, Runnable gate) {
        try {
            gate.run();
            rejection = null;
            return true;
        } catch (ActionFailed e) {
            String sentence = String.valueOf(e.getMessage());
            LOG.warn("What came is not believed reason={} {}", e.reason(), sentence);
            if (e.reason() != ReasonCode.COMMAND_EXPIRED || attempt > floor) {
                rejection = new AgentFinding(e.reason().name(), "", sentence);
            }
            return false;
        }
    }

    /** What was being done is not believed any more. */
    void recordRejection(AgentFinding finding) {
        rejection = finding;
    }

    /** A body came that differs from the one that this number had before. */
    void recordDifferentBody(String detail) {
        bodyFinding = new AgentFinding(ReasonCode.BODY_DIFFERS.name(), "", detail);
    }

    /** An attempt was taken: what was odd before it is over. */
    void onAttemptAccepted() {
        bodyFinding = null;
    }

    /**
     * Absent when there was nothing since the last attempt, and what came last was believed; what
     * is not believed comes first.
     */
    @Nullable AgentFinding latestFinding() {
        AgentFinding unbelieved = rejection;
        return unbelieved == null ? bodyFinding : unbelieved;
    }
}
