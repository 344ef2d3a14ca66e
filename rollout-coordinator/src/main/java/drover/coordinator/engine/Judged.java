package drover.coordinator.engine;

import drover.coordinator.plan.HealthVerdict;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The latest verdict on a node.
 *
 * @param heardSince since when there has been more to say of that attempt than that nothing is
 *     heard; null while there is not
 * @param unheardSince since when there has been no more to say of that attempt, of which there had
 *     been before; null while there is, and while there never was
 */
record Judged(HealthVerdict verdict, @Nullable Instant heardSince, @Nullable Instant unheardSince) {
    /** As if nothing had been said of the node before. */
    static Judged first(HealthVerdict verdict, Instant now) {
        return new Judged(verdict, isHeard(verdict) ? now : null, null);
    }

    /**
     * What is heard of one attempt without a break has been heard since the first of it, and a
     * silence lasts since the first moment of it.
     */
    Judged then(HealthVerdict next, Instant now) {
        if (verdict.attempt() != next.attempt()) {
            return first(next, now);
        }
        if (isHeard(next)) {
            return new Judged(next, heardSince == null ? now : heardSince, null);
        }
        return new Judged(next, null, heardSince == null ? unheardSince : now);
    }

    private static boolean isHeard(HealthVerdict verdict) {
        return !(verdict instanceof HealthVerdict.NoData);
    }
}
