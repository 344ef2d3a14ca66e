package drover.coordinator.engine.fleet;

import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.leader.LeaderStore;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * What outlives rollouts, as this leader wrote it last: it is the only writer, so its memory is the
 * table.
 */
public final class NodeReservationCache {
    private final LeaderStore store;
    private final Map<NodeId, NodeAttemptsAndReservation> known = new ConcurrentHashMap<>();

    public NodeReservationCache(LeaderStore store) {
        this.store = store;
    }

    /** Reads these nodes again. */
    public void load(Collection<NodeId> nodes) {
        Map<NodeId, NodeAttemptsAndReservation> read = store.findReservations(nodes);
        nodes.forEach(
                node ->
                        known.merge(
                                node,
                                read.getOrDefault(node, NodeAttemptsAndReservation.FRESH),
                                NodeReservationCache::later));
    }

    /**
     * Another rollout's loop may have committed between the reading and now: the higher attempt is
     * the later, and a closed attempt is never opened again.
     */
    private static NodeAttemptsAndReservation later(
            NodeAttemptsAndReservation known, NodeAttemptsAndReservation read) {
        if (known.lastAttempt() != read.lastAttempt()) {
            return known.lastAttempt() > read.lastAttempt() ? known : read;
        }
        return known.openFor() == null ? known : read;
    }

    public NodeAttemptsAndReservation of(NodeId node) {
        return known.getOrDefault(node, NodeAttemptsAndReservation.FRESH);
    }

    /** Nodes that a rollout has in flight, or that have an attempt open. */
    Set<NodeId> nodesInFlight() {
        return known.entrySet().stream()
                .filter(node -> isInFlight(node.getValue()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    private static boolean isInFlight(NodeAttemptsAndReservation guard) {
        return guard.openFor() != null || guard.inHandOf() != null;
    }

    /** A rollout's step is in the table. */
    public void applyCommit(RolloutId rollout, Commit commit) {
        updateHolders(rollout, commit);
        commit.statuses().stream()
                .filter(Commit.ReportedAttemptStatus::terminal)
                .forEach(r -> closeAttempt(r.node(), r.attempt(), r.failedRollback()));
        commit.newlyFailedRollbackNodes().forEach(this::markFailedRollback);
        commit.attempts().forEach(a -> recordAttempt(a.node(), a.attempt(), rollout));
    }

    /** Before attempts are closed: in between another loop would take the node for free. */
    private void updateHolders(RolloutId rollout, Commit commit) {
        for (NodeUpgrade node : commit.changedNodes()) {
            if (node.state().isInFlight()) {
                reserve(node.id(), rollout);
            } else {
                release(node.id(), rollout);
            }
        }
    }

    public void recordAttempt(NodeId node, long attempt, RolloutId rollout) {
        known.put(node, of(node).withAttempt(attempt, rollout));
    }

    /** A rollout has the node in flight. Say so before the attempt that led to it is closed. */
    public void reserve(NodeId node, RolloutId rollout) {
        known.computeIfPresent(node, (id, guard) -> guard.withHolder(rollout));
    }

    /** A rollout has the node in flight no more. */
    public void release(NodeId node, RolloutId rollout) {
        known.computeIfPresent(
                node,
                (id, guard) -> rollout.equals(guard.inHandOf()) ? guard.withHolder(null) : guard);
    }

    /** Its agent has looked at what runs: the node needs no person any more (invariant D14). */
    public void clearFailedRollback(NodeId node, long attempt) {
        closeAttempt(node, attempt, false);
        known.computeIfPresent(node, (id, guard) -> guard.withFailedRollback(false));
    }

    /** Its machine is retired; the open attempt, if any, is closed. */
    public void retire(NodeId node, long attempt) {
        closeAttempt(node, attempt, false);
        known.computeIfPresent(node, (id, guard) -> guard.retire());
    }

    /** It needs a person from now on (invariant D14). */
    void markFailedRollback(NodeId node) {
        known.computeIfPresent(node, (id, guard) -> guard.withFailedRollback(true));
    }

    public void closeAttempt(NodeId node, long attempt, boolean failedRollback) {
        known.computeIfPresent(
                node,
                (id, guard) ->
                        guard.withClosedAttempt(attempt)
                                .withFailedRollback(guard.failedRollback() || failedRollback));
    }
}
