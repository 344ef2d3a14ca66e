package drover.coordinator.plan.observed;

import java.util.List;

/** What the health-evaluator holds of a node, for one attempt. */
public sealed interface HealthVerdict {
    /** The attempt it speaks of; a verdict on another attempt does not count (invariant F1). */
    long attempt();

    /** Well for the whole wait. */
    record Healthy(long attempt) implements HealthVerdict {}

    /** Nothing is wrong, but the wait is not over. */
    record Settling(long attempt, String waitingOn) implements HealthVerdict {}

    /** A criterion is broken. */
    record Unhealthy(long attempt, List<Cause> findings) implements HealthVerdict {
        public Unhealthy {
            findings = List.copyOf(findings);
        }

        /** The first finding. */
        public Cause cause() {
            return findings.isEmpty()
                    ? new Cause("UNHEALTHY", "The node is unhealthy.")
                    : findings.getFirst();
        }
    }

    /** No heartbeat that counts; never healthy (invariant F3). */
    record NoData(long attempt, String why) implements HealthVerdict {}
}
