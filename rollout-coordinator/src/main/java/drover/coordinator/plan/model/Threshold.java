package drover.coordinator.plan.model;

/** How many nodes may fail before a rollout pauses by itself. */
public sealed interface Threshold {
    /** Whether this many failures among this many attempted nodes are too many. */
    boolean isExceededBy(int failures, int attempted);

    /** Too many is more than this number. */
    record Count(int tolerated) implements Threshold {
        @Override
        public boolean isExceededBy(int failures, int attempted) {
            return failures > tolerated;
        }

        @Override
        public String toString() {
            return Integer.toString(tolerated);
        }
    }

    /** Too many is more than this part of the attempted nodes, in percent. */
    record Percent(int tolerated) implements Threshold {
        @Override
        public boolean isExceededBy(int failures, int attempted) {
            return failures * 100L > (long) tolerated * attempted;
        }

        @Override
        public String toString() {
            return tolerated + " %";
        }
    }
}
