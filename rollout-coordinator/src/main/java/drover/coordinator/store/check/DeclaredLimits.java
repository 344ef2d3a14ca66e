package drover.coordinator.store.check;

import java.util.List;

/**
 * Limits from the creation record of a rollout, which its history does not have.
 *
 * @param batches nodes that may be in flight at once: limit of each batch, the canary's first; the
 *     last one also applies to later batches. Empty: no limit is known
 * @param rollback nodes that a rollback may have in flight at once
 * @param ignoresFailures whether failures never stop it
 */
public record DeclaredLimits(List<Integer> batches, int rollback, boolean ignoresFailures) {
    /** No limit is known. */
    public static final DeclaredLimits UNKNOWN =
            new DeclaredLimits(List.of(), Integer.MAX_VALUE, false);

    public DeclaredLimits {
        batches = List.copyOf(batches);
    }

    int ofBatch(int index) {
        return batches.isEmpty()
                ? Integer.MAX_VALUE
                : batches.get(Math.min(index, batches.size() - 1));
    }
}
