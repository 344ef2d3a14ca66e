package drover.coordinator.engine;

import drover.coordinator.plan.HealthVerdict;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The latest verdict on a node.
 *
 * @param heardSince since when there has been more to say of that attempt than that nothing is
 *     heard; null while there is not
 */
record Judged(HealthVerdict verdict, @Nullable Instant heardSince) {
    /** As if nothing had been said of the node before. */
    static Judged first(HealthVerdict verdict, Instant now) {
        return new Judged(verdict, verdict instanceof HealthVerdict.NoData ? null : now);
    }

    /** What is heard of one attempt without a break has been heard since the first of it. */
    Judged then(Judged next) {
        boolean goesOn =
                heardSince != null
                        && next.heardSince != null
                        && verdict.attempt() == next.verdict.attempt();
        return goesOn ? new Judged(next.verdict, heardSince) : next;
    }
}
