package drover.coordinator.store.retention;

import drover.coordinator.plan.RetentionRules;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Takes away what was kept of rollouts that are long past. Everything under the fence, and never
 * more rows in one transaction than were asked for. All methods throw {@link StoreUnavailable}.
 */
public interface RetentionStore {
    /** How deciding that a rollout goes came out. */
    enum PruneDecision {
        /** It goes; nothing brings it back from now on. */
        GOES,
        /** It has moved meanwhile, and stays. */
        STAYS,
        /** Another leader has taken over. */
        STALE_EPOCH
    }

    /**
     * Ended rollouts of which everything is there, the oldest first.
     *
     * @param before only those that ended before
     * @param after continues after this one; null from the first
     */
    List<RetentionRules.EndedRollout> findEndedUnpruned(
            Instant before, @Nullable RolloutId after, int limit);

    /** Decides under the rollout's lock, once more, whether it goes. */
    PruneDecision markForPruningIfExpired(long epoch, RolloutId id, Instant now, Duration keep);

    /** Rollouts of which something may still have to go, the oldest first. */
    List<RolloutId> findMarkedForPruning(int limit);

    /**
     * Takes away up to so many rows of a rollout that goes.
     *
     * @return how many went; fewer than asked for when nothing more can go now; empty when another
     *     leader has taken over
     */
    Optional<Integer> deleteRolloutRows(long epoch, RolloutId id, int rows);

    /**
     * Takes away closed attempts that no rollout needs any more, and requests about nodes that were
     * decided before a moment. The newest attempt of a node always stays.
     *
     * @return as {@link #deleteRolloutRows}
     */
    Optional<Integer> deleteRowsOutsideRollouts(long epoch, Instant before, int rows);

    /**
     * Takes away what was kept of a group whose components have all been pruned, and incidents that
     * were resolved before a moment, but none of a rollout that is whole.
     *
     * @return as {@link #deleteRolloutRows}, of one group after the other
     */
    Optional<Integer> deleteGroupsAndIncidents(long epoch, Instant before, int rows);

    /** Of a house that keeps everything. */
    static RetentionStore retainAll() {
        return new RetentionStore() {
            @Override
            public List<RetentionRules.EndedRollout> findEndedUnpruned(
                    Instant before, @Nullable RolloutId after, int limit) {
                return List.of();
            }

            @Override
            public PruneDecision markForPruningIfExpired(
                    long epoch, RolloutId id, Instant now, Duration keep) {
                return PruneDecision.STAYS;
            }

            @Override
            public List<RolloutId> findMarkedForPruning(int limit) {
                return List.of();
            }

            @Override
            public Optional<Integer> deleteRolloutRows(long epoch, RolloutId id, int rows) {
                return Optional.of(0);
            }

            @Override
            public Optional<Integer> deleteRowsOutsideRollouts(
                    long epoch, Instant before, int rows) {
                return Optional.of(0);
            }

            @Override
            public Optional<Integer> deleteGroupsAndIncidents(
                    long epoch, Instant before, int rows) {
                return Optional.of(0);
            }
        };
    }
}
