package drover.model.cluster;

/**
 * Distance of a member to its leader.
 *
 * @param value in {@code unit}, at least 0
 * @param unit such as {@code entries} or {@code bytes}; only shown
 * @param ok whether the member counts as caught up
 */
public record ReplicationLag(long value, String unit, boolean ok) {
    private static final int MAX_UNIT_LENGTH = 32;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException with one sentence
     */
    public ReplicationLag {
        if (value < 0) {
            throw new IllegalArgumentException("lag.value must be 0 or more.");
        }
        ClusterReport.requirePrintable("lag.unit", unit, MAX_UNIT_LENGTH);
        if (unit.isEmpty()) {
            throw new IllegalArgumentException("lag.unit must not be empty, for example entries.");
        }
    }

    @Override
    public String toString() {
        return value + " " + unit;
    }
}
