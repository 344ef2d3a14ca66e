package drover.system.failover;

import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.system.fault.FaultPlan.FaultEpisode;
import drover.system.fault.UncoveredGateway;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Tells pauses that a rollout had reason for from those that it had none for, bout by bout: it may
 * pause by itself when no evaluator hears one of the gateways, and then for that alone.
 */
final class UnexpectedPauses {
    private final Set<HistoryEntry> explained = new HashSet<>(); // by the bout in which each came
    private boolean noData;

    /** From here on what comes is this bout's. */
    synchronized void during(FaultEpisode bout) {
        noData = UncoveredGateway.isIn(bout);
    }

    /**
     * Those that nothing explains.
     *
     * @param found all pauses that nobody had asked for, those of earlier bouts among them
     */
    synchronized List<HistoryEntry> unexplained(List<HistoryEntry> found) {
        if (noData) {
            found.stream()
                    .filter(row -> is(row, PauseReason.HEALTH_UNAVAILABLE))
                    .forEach(explained::add);
        }
        return found.stream().filter(row -> !explained.contains(row)).toList();
    }

    private static boolean is(HistoryEntry row, PauseReason reason) {
        return row.because().code().equals(reason.name());
    }
}
