package drover.coordinator.plan.model;

import java.time.Instant;

/**
 * One batch of a rollout. Which nodes are in it is said by the nodes: each is in exactly one
 * (invariant A8).
 *
 * @param canary whether any failure in it pauses the rollout
 */
public record Batch(int index, boolean canary, BatchPhase phase, Instant since) {
    /** The same batch in another phase. */
    public Batch withPhase(BatchPhase next, Instant now) {
        return new Batch(index, canary, next, now);
    }
}
