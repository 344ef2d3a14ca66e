package drover.coordinator.engine;

import java.time.Duration;

/**
 * Whether a gateway answers what this leader tells it of its interest. One that accepted the leader
 * and answers no more is not at work, whatever keeps its connection alive: as long as it is waited
 * for, no node is known to be anywhere.
 */
final class OwedAnswer {
    /** Answers take milliseconds; with ten thousand nodes, on a busy machine, seconds. */
    static final Duration WITHIN = Duration.ofSeconds(15);

    private long told;
    private long answered = -1; // before the first
    private long since; // it has owed an answer

    /**
     * @param now in nanoseconds, by a clock that never goes back
     */
    OwedAnswer(long now) {
        this.since = now;
    }

    synchronized void told(long revision, long now) {
        if (answered >= told) {
            since = now;
        }
        told = Math.max(told, revision);
    }

    /** Whoever answers what it was told earlier is at work, and has as long for the rest. */
    synchronized void answered(long revision, long now) {
        answered = Math.max(answered, revision);
        since = now;
    }

    synchronized boolean isOverdue(long now) {
        return answered < told && now - since >= WITHIN.toNanos();
    }
}
