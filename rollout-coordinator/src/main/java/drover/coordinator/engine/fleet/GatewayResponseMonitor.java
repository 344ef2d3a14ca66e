package drover.coordinator.engine.fleet;

import java.time.Duration;

/**
 * Whether a gateway answers what this leader tells it of its interest. One that accepted the leader
 * and answers no more is not at work, whatever keeps its connection alive: as long as it is waited
 * for, no node is known to be anywhere. A gateway says everything one after the other, so whatever
 * it says shows that the answer is on its way.
 */
final class GatewayResponseMonitor {
    /** Answers take milliseconds; with ten thousand nodes, on a busy machine, seconds. */
    static final Duration TIMEOUT = Duration.ofSeconds(15);

    private long requestedRevision;
    private long respondedRevision = -1; // before the first
    private long since; // it has owed an answer, and said nothing
    private boolean missed; // when somebody looked last

    /**
     * @param now in nanoseconds, by a clock that never goes back
     */
    GatewayResponseMonitor(long now) {
        this.since = now;
    }

    synchronized void recordRequest(long revision, long now) {
        if (respondedRevision >= requestedRevision) {
            since = now;
        }
        requestedRevision = Math.max(requestedRevision, revision);
    }

    /** Whoever answers what it was told earlier is at work, and has as long for the rest. */
    synchronized void recordResponse(long revision, long now) {
        respondedRevision = Math.max(respondedRevision, revision);
        recordMessage(now);
    }

    /** It said anything at all: a long answer takes its time over a slow link. */
    synchronized void recordMessage(long now) {
        since = now;
        missed = false;
    }

    /**
     * One look, of which two in a row decide: a leader that stood still itself finds at the first
     * that time has passed, and hears before the second what was said meanwhile.
     */
    synchronized boolean checkRepeatedlyOverdue(long now) {
        boolean before = missed;
        missed = respondedRevision < requestedRevision && now - since >= TIMEOUT.toNanos();
        return before && missed;
    }
}
