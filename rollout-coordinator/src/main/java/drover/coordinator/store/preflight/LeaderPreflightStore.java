package drover.coordinator.store.preflight;

import drover.coordinator.plan.preflight.NodePreflightResult;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Preflights as the leader carries them out. All methods throw {@link StoreUnavailable}. */
public interface LeaderPreflightStore {
    /** Where nobody asks for any. */
    LeaderPreflightStore NONE =
            new LeaderPreflightStore() {
                @Override
                public List<UnfinishedPreflight> findUnfinished(Set<UUID> aside) {
                    return List.of();
                }

                @Override
                public boolean finishIfLatest(
                        long epoch,
                        UnfinishedPreflight requested,
                        Instant at,
                        List<NodePreflightResult> nodes) {
                    return true;
                }
            };

    /** One that was asked for and is not finished. */
    record UnfinishedPreflight(UUID id, RolloutId rollout) {}

    /**
     * All that are not finished, oldest first; at most 100: the others have their turn later.
     *
     * @param aside those that this leader leaves to another; they take nobody's turn
     */
    List<UnfinishedPreflight> findUnfinished(Set<UUID> aside);

    /**
     * Writes down what was found, unless another one was asked for meanwhile.
     *
     * @return false when another leader has taken over: step down
     */
    boolean finishIfLatest(
            long epoch, UnfinishedPreflight requested, Instant at, List<NodePreflightResult> nodes);
}
