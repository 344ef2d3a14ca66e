package drover.coordinator.store.check;

import java.util.List;

/**
 * Nodes that may be in flight at once, from the creation record of a rollout: its history has no
 * sizes.
 *
 * @param batches limit of each batch, the canary's first; the last one also applies to later
 *     batches. Empty: no limit is known
 * @param rollback limit of a rollback
 */
public record InFlightLimits(List<Integer> batches, int rollback) {
    /** No limit is known. */
    public static final InFlightLimits UNKNOWN = new InFlightLimits(List.of(), Integer.MAX_VALUE);

    public InFlightLimits {
        batches = List.copyOf(batches);
    }

    int ofBatch(int index) {
        return batches.isEmpty()
                ? Integer.MAX_VALUE
                : batches.get(Math.min(index, batches.size() - 1));
    }
}
