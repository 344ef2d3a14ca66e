package drover.coordinator.engine;

import drover.coordinator.plan.FleetView.NodeGuard;
import drover.coordinator.plan.NodeUpgrade;
import drover.coordinator.store.Commit;
import drover.coordinator.store.LeaderStore;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What outlives rollouts, as this leader wrote it last: it is the only writer, so its memory is the
 * table.
 */
final class Guards {
    private final LeaderStore store;
    private final Map<NodeId, NodeGuard> known = new ConcurrentHashMap<>();

    Guards(LeaderStore store) {
        this.store = store;
    }

    /** Reads these nodes again. */
    void load(Collection<NodeId> nodes) {
        Map<NodeId, NodeGuard> read = store.guards(nodes);
        nodes.forEach(
                node -> known.merge(node, read.getOrDefault(node, NodeGuard.FRESH), Guards::later));
    }

    /**
     * Another rollout's loop may have committed between the reading and now: the higher attempt is
     * the later, and a closed attempt is never opened again.
     */
    private static NodeGuard later(NodeGuard known, NodeGuard read) {
        if (known.lastAttempt() != read.lastAttempt()) {
            return known.lastAttempt() > read.lastAttempt() ? known : read;
        }
        return known.openFor() == null ? known : read;
    }

    NodeGuard of(NodeId node) {
        return known.getOrDefault(node, NodeGuard.FRESH);
    }

    /** Nodes that a rollout has in flight, or that have an attempt open. */
    Set<NodeId> inFlight() {
        return known.entrySet().stream()
                .filter(node -> isInFlight(node.getValue()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    private static boolean isInFlight(NodeGuard guard) {
        return guard.openFor() != null || guard.inHandOf() != null;
    }

    /** A rollout's step is in the table. */
    void committed(RolloutId rollout, Commit commit) {
        takeInHand(rollout, commit);
        commit.reports().stream()
                .filter(Commit.Report::terminal)
                .forEach(r -> closed(r.node(), r.attempt(), r.failedRollback()));
        commit.marked().forEach(this::marked);
        commit.attempts().forEach(a -> allotted(a.node(), a.attempt(), rollout));
    }

    /** Before attempts are closed: in between another loop would take the node for free. */
    private void takeInHand(RolloutId rollout, Commit commit) {
        for (NodeUpgrade node : commit.changedNodes()) {
            if (node.state().isInFlight()) {
                taken(node.id(), rollout);
            } else {
                released(node.id(), rollout);
            }
        }
    }

    void allotted(NodeId node, long attempt, RolloutId rollout) {
        NodeGuard was = of(node);
        known.put(node, new NodeGuard(attempt, rollout, was.failedRollback(), was.inHandOf()));
    }

    /** A rollout has the node in flight. Say so before the attempt that led to it is closed. */
    void taken(NodeId node, RolloutId rollout) {
        known.computeIfPresent(node, (id, guard) -> held(guard, rollout));
    }

    /** A rollout has the node in flight no more. */
    void released(NodeId node, RolloutId rollout) {
        known.computeIfPresent(
                node, (id, guard) -> rollout.equals(guard.inHandOf()) ? held(guard, null) : guard);
    }

    private static NodeGuard held(NodeGuard guard, @Nullable RolloutId rollout) {
        return new NodeGuard(guard.lastAttempt(), guard.openFor(), guard.failedRollback(), rollout);
    }

    /** Its agent has looked at what runs: the node needs no person any more (invariant D14). */
    void cleared(NodeId node, long attempt) {
        closed(node, attempt, false);
        known.computeIfPresent(
                node,
                (id, guard) ->
                        new NodeGuard(
                                guard.lastAttempt(), guard.openFor(), false, guard.inHandOf()));
    }

    /** It needs a person from now on (invariant D14). */
    void marked(NodeId node) {
        known.computeIfPresent(
                node,
                (id, guard) ->
                        new NodeGuard(
                                guard.lastAttempt(), guard.openFor(), true, guard.inHandOf()));
    }

    void closed(NodeId node, long attempt, boolean failedRollback) {
        known.computeIfPresent(
                node,
                (id, guard) ->
                        new NodeGuard(
                                guard.lastAttempt(),
                                guard.lastAttempt() == attempt ? null : guard.openFor(),
                                guard.failedRollback() || failedRollback,
                                guard.inHandOf()));
    }
}
