package drover.coordinator.store.query;

import drover.coordinator.plan.explain.HashedPlan;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a plan needs to know beside the rollout. Nothing here writes. All methods throw {@link
 * StoreUnavailable}.
 */
public interface PreviewInputViews {
    /**
     * How long agents worked at upgrades of a program on a chain, from assignment until the target
     * ran; the latest ones.
     */
    List<Duration> recentUpgradeDurations(ChainProfileId chain, BinaryName binary);

    /** Who has a chain now; empty when it is free. */
    Optional<RolloutId> findChainOwner(ChainProfileId chain);

    /** What outlives rollouts of these nodes; one that never had work is missing. */
    Map<NodeId, NodeAttemptsAndReservation> findReservations(Collection<NodeId> nodes);

    /** Drift that agents report now, by node: the causes of the open incidents. */
    Map<NodeId, Cause> findDrift(Collection<NodeId> nodes);

    /** The plan with which a rollout was created; empty for one that was created without. */
    Optional<HashedPlan> findPlan(RolloutId id);

    /** Nothing is known beside the rollout. */
    static PreviewInputViews none() {
        return new PreviewInputViews() {
            @Override
            public List<Duration> recentUpgradeDurations(ChainProfileId chain, BinaryName binary) {
                return List.of();
            }

            @Override
            public Optional<RolloutId> findChainOwner(ChainProfileId chain) {
                return Optional.empty();
            }

            @Override
            public Map<NodeId, NodeAttemptsAndReservation> findReservations(
                    Collection<NodeId> nodes) {
                return Map.of();
            }

            @Override
            public Map<NodeId, Cause> findDrift(Collection<NodeId> nodes) {
                return Map.of();
            }

            @Override
            public Optional<HashedPlan> findPlan(RolloutId id) {
                return Optional.empty();
            }
        };
    }
}
