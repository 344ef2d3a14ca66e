package drover.coordinator.engine.leader;

import java.time.Duration;

/**
 * How long whoever lost its term to another leader leaves that one alone, though it is told to
 * lead: long enough for work, and longer with each loss in a row, so that two who are both told to
 * lead take over from each other ever less often. Knows no clock.
 */
final class LostTermBackoff {
    /** After a first loss; with each further one twice as long. */
    static final Duration INITIAL = Duration.ofSeconds(1);

    /** Never longer: whoever took over may have gone again. */
    static final Duration MAX = Duration.ofSeconds(8);

    /** A term of this length shows that nobody else is told to lead: a later loss is a first. */
    static final Duration STABLE_TERM = Duration.ofSeconds(60);

    private Duration rest = Duration.ZERO; // after the last loss; zero when none counts
    private long lostNanos;
    private long startedNanos;

    /** A term begins. */
    void recordTermStart(long nanos) {
        startedNanos = nanos;
    }

    /** The term has ended because another leader took over. */
    void recordTermLoss(long nanos) {
        boolean inARow = rest.isPositive() && nanos - startedNanos < STABLE_TERM.toNanos();
        Duration next = inARow ? rest.multipliedBy(2) : INITIAL;
        rest = next.compareTo(MAX) < 0 ? next : MAX;
        lostNanos = nanos;
    }

    /** The elector has chosen anew, and knows better. */
    void reset() {
        rest = Duration.ZERO;
    }

    /** How much longer to rest; zero when a term may begin. */
    Duration remainingBackoff(long nanos) {
        if (rest.isZero()) {
            return Duration.ZERO;
        }
        Duration left = rest.minusNanos(nanos - lostNanos);
        return left.isNegative() ? Duration.ZERO : left;
    }
}
