package drover.coordinator.store.query;

import drover.coordinator.metrics.HistoryEntryForMetrics;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.RolloutId;
import java.util.List;

/** The moves that figures begin from when a leader takes a rollout over. */
public interface HistoryForMetricsViews {
    /** Nothing happened before. */
    HistoryForMetricsViews NONE = rollout -> List.of();

    /**
     * Moves of a rollout and its nodes, oldest first; of batches none.
     *
     * @throws StoreUnavailable when they cannot be read
     */
    List<HistoryEntryForMetrics> findEntries(RolloutId rollout);
}
