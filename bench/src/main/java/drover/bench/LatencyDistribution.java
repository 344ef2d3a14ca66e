package drover.bench;

import java.time.Duration;
import java.util.List;

/** How long each of many took, of which percentiles are told. */
record LatencyDistribution(List<Duration> sorted) {
    private static final int ALL = 100;

    /**
     * Refuses none at all, and one that ended before it began: then the two ends were not told by
     * one clock.
     */
    LatencyDistribution {
        sorted = sorted.stream().sorted().toList();
        if (sorted.isEmpty() || sorted.getFirst().isNegative()) {
            throw new IllegalArgumentException("These are no latencies: " + sorted);
        }
    }

    int count() {
        return sorted.size();
    }

    /** One that so many in a hundred do not exceed; by nearest rank, so always one of them. */
    Duration percentile(int percent) {
        return sorted.get(Math.max(0, Math.ceilDiv(sorted.size() * percent, ALL) - 1));
    }

    Duration max() {
        return sorted.getLast();
    }
}
