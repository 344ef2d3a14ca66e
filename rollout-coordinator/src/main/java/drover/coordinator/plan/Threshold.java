package drover.coordinator.plan;

/** How many nodes may fail before a rollout pauses by itself. */
public sealed interface Threshold {
    /** Whether this many failures among this many nodes are too many. */
    boolean isExceededBy(int failures, int nodes);

    /** Too many is more than this number. */
    record Count(int tolerated) implements Threshold {
        @Override
        public boolean isExceededBy(int failures, int nodes) {
            return failures > tolerated;
        }

        @Override
        public String toString() {
            return Integer.toString(tolerated);
        }
    }

    /** Too many is more than this part of the nodes of all batches so far, in percent. */
    record Percent(int tolerated) implements Threshold {
        @Override
        public boolean isExceededBy(int failures, int nodes) {
            return failures * 100L > (long) tolerated * nodes;
        }

        @Override
        public String toString() {
            return tolerated + " %";
        }
    }
}
