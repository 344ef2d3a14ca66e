package drover.coordinator.plan.model;

import java.util.OptionalInt;

/**
 * How a rollout goes through its nodes (seed 000, Rollout Strategies; seed 003 for the progressive
 * ladder).
 */
public sealed interface Strategy {
    /** Nodes in one batch of the ordinary kind; also how many are rolled back at once. */
    int batchSize();

    /** Batches of one size, one after the other. */
    record Rolling(int batchSize) implements Strategy {}

    /** Some random nodes first, observed twice the health wait; then rolling. */
    record Canary(int canarySize, int batchSize) implements Strategy {}

    /** 1 node, then 1 %, 5 % and 20 % of all, then the rest. */
    record Progressive(int batchSize) implements Strategy {
        private static final int[] LADDER_PERCENT = {
            1, 5, 20
        }; // seed 003: 1 node, then these, then the rest

        /**
         * Planned size of a rung of the progressive ladder; empty beyond the last rung. The last
         * one takes the rest, which is less than its size.
         */
        public static OptionalInt batchSizeAt(int index, int targets) {
            if (index == 0) {
                return OptionalInt.of(1);
            }
            if (index > LADDER_PERCENT.length) {
                return index == LADDER_PERCENT.length + 1
                        ? OptionalInt.of(targets)
                        : OptionalInt.empty();
            }
            return OptionalInt.of(
                    Math.max(1, Math.ceilDiv(targets * LADDER_PERCENT[index - 1], 100)));
        }
    }

    /**
     * Everything in one batch, for deadlines.
     *
     * @param forceContinue goes on whatever fails
     * @param skipValidation does not wait for health
     */
    record AllAtOnce(int batchSize, boolean forceContinue, boolean skipValidation)
            implements Strategy {}

    /**
     * Nodes that get the target before it has been proven on any: those of the first batch. Every
     * later batch waits until the one before has proven itself, or has been counted.
     */
    default int firstBatchSize(int targets) {
        return switch (this) {
            case Rolling(int size) -> Math.min(size, targets);
            case Canary(int canary, int size) -> Math.min(canary, targets);
            case Progressive progressive -> Math.min(1, targets);
            case AllAtOnce all -> targets;
        };
    }

    /**
     * Most nodes that may be in flight at once while a batch is (A21).
     *
     * @param targets number of all targets
     */
    default int maxInFlight(Batch batch, int targets) {
        return switch (this) {
            case Rolling(int size) -> size;
            case Canary(int canary, int size) -> batch.canary() ? canary : size;
            case Progressive(int size) ->
                    Progressive.batchSizeAt(batch.index(), targets).orElse(size);
            case AllAtOnce all -> targets;
        };
    }

    /** Whether failures do not stop it. */
    default boolean ignoresFailures() {
        return this instanceof AllAtOnce all && all.forceContinue();
    }

    /** Whether a node counts as soon as its agent proves the target. */
    default boolean skipsValidation() {
        return this instanceof AllAtOnce all && all.skipValidation();
    }
}
