package drover.coordinator.election;

import java.time.Duration;

/**
 * How long a lease is, and what follows from that. Decides by the monotonic clock alone whether a
 * lease still holds (invariant B5): the wall clock of a machine may jump.
 *
 * @param ttl how long whoever grants it keeps it for its holder
 */
record LeaseDeadlineCalculator(Duration ttl) {
    private static final int MARGIN = 5; // a fifth, 2 s of etcd's 10: far more than clocks differ
    private static final Duration LONGEST_ROUND = Duration.ofSeconds(1); // seed 004's cached check

    LeaseDeadlineCalculator {
        if (!ttl.isPositive()) {
            throw new IllegalArgumentException("A lease needs a length.");
        }
    }

    /**
     * How much longer it holds; zero when it is over. Counted from when the holder asked, which is
     * before the granter began to count, and short of its end by a margin: the holder stops before
     * another one can begin. No question that was asked since moves this, however many there were
     * and for however long nothing is heard of them: only an answer does, and then to when that
     * question was asked. {@link LeaseMonitor} looks by a thread that never asks.
     *
     * @param requestedNanos when the holder asked for what was granted last
     * @param nowNanos the same clock now
     */
    Duration remaining(long requestedNanos, long nowNanos) {
        Duration held = ttl.minus(ttl.dividedBy(MARGIN));
        Duration left = held.minusNanos(nowNanos - requestedNanos);
        return left.isNegative() ? Duration.ZERO : left;
    }

    /**
     * Whether it is time to ask for more. Two attempts that fail at once may be made before it is
     * lost; at the usual lengths one of which nothing is heard for as long as there is {@link
     * #requestTimeout}. After a second such one it is lost, which costs an election and harms
     * nobody: see {@link #remaining}.
     */
    boolean isRenewalDue(long requestedNanos, long nowNanos) {
        return nowNanos - requestedNanos >= ttl.dividedBy(3).toNanos();
    }

    /**
     * Whether the store has been away from a candidate for so long that it leaves the campaign. One
     * that leads leaves after a whole lease, so that another one which reaches the store can lead;
     * one that only waits leaves after a third of it, so that a store which is away for everybody
     * finds nobody left to take over from the leader that resigns.
     *
     * @param elected whether it has the lease
     * @param answeredNanos when the store answered it last
     * @param nowNanos the same clock now
     */
    boolean mustLeaveCampaign(boolean elected, long answeredNanos, long nowNanos) {
        Duration timeout = elected ? ttl : ttl.dividedBy(3);
        return nowNanos - answeredNanos >= timeout.toNanos();
    }

    /** How often to look. */
    Duration pollInterval() {
        Duration part = ttl.dividedBy(6);
        return part.compareTo(LONGEST_ROUND) < 0 ? part : LONGEST_ROUND;
    }

    /** How long to wait for one answer. */
    Duration requestTimeout() {
        return ttl.dividedBy(4);
    }
}
