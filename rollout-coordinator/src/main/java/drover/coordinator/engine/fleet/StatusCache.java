package drover.coordinator.engine.fleet;

import drover.coordinator.peers.GatewayLink.ReportedStatus;
import drover.model.NodeId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The latest status of each node, one slot for each (rule R2), and how often one came. */
final class StatusCache {
    private final Map<NodeId, ReportedStatus> latest = new ConcurrentHashMap<>();
    private final Map<NodeId, Long> arrivals = new ConcurrentHashMap<>();

    void put(List<ReportedStatus> nodes) {
        for (ReportedStatus node : nodes) {
            latest.merge(node.node(), node, StatusCache::later);
            arrivals.merge(node.node(), 1L, Long::sum);
        }
    }

    /** A later status replaces an earlier one, whatever the order they come in (invariant C9). */
    private static ReportedStatus later(ReportedStatus old, ReportedStatus fresh) {
        int byAttempt = Long.compare(old.status().attempt(), fresh.status().attempt());
        int order =
                byAttempt != 0
                        ? byAttempt
                        : Long.compare(old.status().sequence(), fresh.status().sequence());
        return order > 0 ? old : fresh;
    }

    /**
     * How often a status of the node came. A status that comes again was not acknowledged where it
     * comes from: whoever acknowledges does so once for each arrival.
     */
    long statusArrivalCount(NodeId node) {
        return arrivals.getOrDefault(node, 0L);
    }

    /** Nobody looks at this status any more; one that came since stays. */
    void remove(ReportedStatus report) {
        if (latest.remove(report.node(), report)) {
            arrivals.remove(report.node());
        }
    }

    Optional<ReportedStatus> of(NodeId node) {
        return Optional.ofNullable(latest.get(node));
    }

    Collection<ReportedStatus> allStatuses() {
        return latest.values();
    }
}
