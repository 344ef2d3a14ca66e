package drover.coordinator.engine.fleet;

import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.RolloutTimeouts;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The latest verdict on a node.
 *
 * @param dataSince since when there has been more to say of that attempt than that nothing is
 *     heard; null while there is not, but for a silence that began with asking another evaluator
 * @param noDataSince since when there has been no more to say of that attempt, of which there had
 *     been before, or whose evaluator was lost then; null while there is, and while there never was
 * @param movedAt when another evaluator was asked of that attempt, the last time; null while it is
 *     the first
 * @param notHealthySince since when the verdict on that attempt has not been healthy; null while it
 *     is
 */
record VerdictWithTimes(
        HealthVerdict verdict,
        @Nullable Instant dataSince,
        @Nullable Instant noDataSince,
        @Nullable Instant movedAt,
        @Nullable Instant notHealthySince) {
    private static final String REQUESTED = "Another health-evaluator is asked.";

    /** As if nothing had been said of the node before. */
    static VerdictWithTimes first(HealthVerdict verdict, Instant now) {
        return new VerdictWithTimes(
                verdict,
                hasData(verdict) ? now : null,
                null,
                null,
                nextNotHealthySince(verdict, null, now));
    }

    /**
     * What is heard of one attempt without a break has been heard since the first of it, and a
     * silence lasts since the first moment of it. It is no break that another evaluator was asked
     * and spoke before it could be called deaf: at first each of them has no heartbeat yet.
     */
    VerdictWithTimes withVerdict(HealthVerdict next, Instant now) {
        if (verdict.attempt() != next.attempt()) {
            return first(next, now);
        }
        Instant bad = nextNotHealthySince(next, notHealthySince, now);
        if (hasData(next)) {
            boolean broken = dataSince == null || isNoDataTooLong(now);
            return new VerdictWithTimes(next, broken ? now : dataSince, null, movedAt, bad);
        }
        return hasData(verdict)
                ? new VerdictWithTimes(next, null, now, movedAt, bad)
                : new VerdictWithTimes(next, dataSince, noDataSince, movedAt, bad);
    }

    private static @Nullable Instant nextNotHealthySince(
            HealthVerdict verdict, @Nullable Instant since, Instant now) {
        if (verdict instanceof HealthVerdict.Healthy) {
            return null;
        }
        return since == null ? now : since;
    }

    private boolean isNoDataTooLong(Instant now) {
        return noDataSince != null
                && !now.isBefore(noDataSince.plus(RolloutTimeouts.EVALUATOR_SWITCH_AFTER));
    }

    /**
     * What is known once another evaluator is asked: nothing, until that one speaks (F3). A silence
     * keeps its beginning, and so does what was heard, so that no deadline is put off by asking.
     *
     * @param before what was known; null for nothing
     */
    static VerdictWithTimes afterEvaluatorSwitch(
            @Nullable VerdictWithTimes before, long attempt, Instant now) {
        HealthVerdict requested = new HealthVerdict.NoData(attempt, REQUESTED);
        if (before == null || before.verdict.attempt() != attempt) {
            return new VerdictWithTimes(requested, null, null, now, now);
        }
        Instant lastVerdict = hasData(before.verdict) ? now : before.noDataSince;
        return new VerdictWithTimes(
                requested,
                before.dataSince,
                lastVerdict,
                now,
                nextNotHealthySince(requested, before.notHealthySince, now));
    }

    /**
     * What is known once the evaluator of an attempt is lost: nothing, and only from now on, so
     * that whoever is asked next has its time, whatever was heard before (rule R3).
     */
    static VerdictWithTimes afterEvaluatorLoss(long attempt, Instant now) {
        return new VerdictWithTimes(
                new HealthVerdict.NoData(attempt, REQUESTED), null, now, now, now);
    }

    private static boolean hasData(HealthVerdict verdict) {
        return !(verdict instanceof HealthVerdict.NoData);
    }
}
