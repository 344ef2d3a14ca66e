package drover.coordinator.metrics;

import java.time.Instant;

/**
 * One row of history, as far as figures need it.
 *
 * @param subject {@code rollout}, {@code batch 2} or {@code node}
 * @param node empty unless a node moved
 */
public record HistoryEntryForMetrics(
        Instant at, String subject, String node, String from, String to) {
    boolean isRolloutStateChange() {
        return subject.equals("rollout") && !from.equals(to);
    }

    /** A node that joins another batch has a row as well, but stays where it is. */
    boolean isNodeStateChange() {
        return subject.equals("node") && !from.equals(to);
    }
}
