package drover.coordinator.plan.explain;

import drover.coordinator.plan.batch.RollbackOrder;
import drover.coordinator.plan.explain.RolloutForecast.BatchForecast;
import drover.coordinator.plan.explain.SkipForecast.Skip;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What a rollback of a rollout would restore, in which order and how long that takes if nothing
 * fails. Nodes are restored in groups of at most the batch size, see {@link RollbackOrder}. Pure.
 */
public final class RollbackForecast {
    private RollbackForecast() {}

    /**
     * The restores that a rollback makes, as parts of a forecast.
     *
     * @param health health gate of the rollback
     * @param unhealthy whether a node is unhealthy now
     * @param notRestored nodes that the rollback leaves out: offline and retired ones, and those
     *     that an operator has to clear first
     * @param work how long an agent works at one node
     */
    public static RolloutForecast of(
            Rollout rollout,
            RollbackHealthPolicy health,
            Predicate<NodeUpgrade> unhealthy,
            Set<NodeId> notRestored,
            Duration work,
            Instant now) {
        List<NodeId> nodes =
                rollout.nodes().values().stream()
                        .filter(RollbackForecast::mustBeRestored)
                        .filter(node -> !notRestored.contains(node.id()))
                        .sorted(RollbackOrder.comparator(unhealthy))
                        .map(NodeUpgrade::id)
                        .toList();
        RolloutSpec spec = rollout.spec();
        int size = Math.max(1, Math.min(spec.strategy().batchSize(), spec.maxInFlight()));
        Duration restore =
                health == RollbackHealthPolicy.IGNORE ? work : work.plus(spec.healthWait());
        List<BatchForecast> parts = new ArrayList<>();
        for (int from = 0; from < nodes.size(); from += size) {
            Batch group = new Batch(parts.size(), false, BatchPhase.PENDING, now);
            List<NodeId> restored = nodes.subList(from, Math.min(nodes.size(), from + size));
            parts.add(new BatchForecast(group, restored, false, restore));
        }
        return new RolloutForecast(parts);
    }

    /**
     * Nodes that a rollback does not restore: retired ones, those whose agents do not connect in
     * time, and those that an operator does not clear before.
     *
     * @param reservations what is known of the nodes apart from the rollout
     */
    public static List<Skip> findSkips(
            Rollout rollout,
            Set<NodeId> offline,
            Map<NodeId, NodeAttemptsAndReservation> reservations) {
        return rollout.nodes().values().stream()
                .filter(RollbackForecast::mustBeRestored)
                .flatMap(node -> findSkip(node, offline, reservations).stream())
                .toList();
    }

    private static Optional<Skip> findSkip(
            NodeUpgrade node,
            Set<NodeId> offline,
            Map<NodeId, NodeAttemptsAndReservation> reservations) {
        NodeAttemptsAndReservation reservation =
                reservations.getOrDefault(node.id(), NodeAttemptsAndReservation.FRESH);
        if (node.isOnRetiredMachine(reservation)) {
            return Optional.of(
                    new Skip(node.id(), SkipReason.RETIRED, NodeUpgrade.RETIRED.sentence(), false));
        }
        if (node.state() instanceof NodeState.FailedRollback && reservation.failedRollback()) {
            String sentence =
                    "Its restore failed: repair it and clear it with 'drover node clear "
                            + node.id()
                            + " --reason TEXT', then roll back again.";
            return Optional.of(new Skip(node.id(), SkipReason.FAILED_ROLLBACK, sentence, true));
        }
        return offline.contains(node.id())
                ? Optional.of(
                        new Skip(
                                node.id(),
                                SkipReason.OFFLINE,
                                "Its agent is not connected: the rollback does not restore it and"
                                        + " ends as failed (ROLLBACK_INCOMPLETE).",
                                true))
                : Optional.empty();
    }

    /** A node that was only assigned is withdrawn; one that works on an attempt ends it first. */
    private static boolean mustBeRestored(NodeUpgrade node) {
        boolean assigned = node.state() instanceof NodeState.Assigned;
        boolean modified = node.installedBy() != 0 || (node.state().isInFlight() && !assigned);
        return modified && !node.isNotRollbackable();
    }
}
