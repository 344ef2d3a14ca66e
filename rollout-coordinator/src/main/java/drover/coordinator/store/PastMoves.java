package drover.coordinator.store;

import drover.coordinator.measure.Move;
import drover.model.RolloutId;
import java.util.List;

/** The moves that figures begin from when a leader takes a rollout over. */
public interface PastMoves {
    /** Nothing happened before. */
    PastMoves NONE = rollout -> List.of();

    /**
     * Moves of a rollout and its nodes, oldest first; of batches none.
     *
     * @throws StoreUnavailable when they cannot be read
     */
    List<Move> of(RolloutId rollout);
}
