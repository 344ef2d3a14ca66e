package drover.coordinator.plan.model;

import drover.model.NodeId;
import drover.model.RolloutId;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A rollout: what was asked for, where it stands, its batches and its nodes. Immutable.
 *
 * @param revision grows with every commit
 * @param acknowledgedFailures failures an operator has accepted
 * @param acceptedOffline skipped offline nodes an operator has accepted
 * @param forced an operator has overridden the failure threshold
 * @param nodes in the order of their ids
 */
public record Rollout(
        RolloutId id,
        long revision,
        RolloutSpec spec,
        RolloutState state,
        int acknowledgedFailures,
        int acceptedOffline,
        boolean forced,
        List<Batch> batches,
        Map<NodeId, NodeUpgrade> nodes) {

    public Rollout {
        batches = List.copyOf(batches);
        nodes = Collections.unmodifiableMap(nodes); // not copied: whoever makes one gives it away
    }

    /** A rollout that nobody has forced, as every one begins. */
    public Rollout(
            RolloutId id,
            long revision,
            RolloutSpec spec,
            RolloutState state,
            int acknowledgedFailures,
            int acceptedOffline,
            List<Batch> batches,
            Map<NodeId, NodeUpgrade> nodes) {
        this(
                id,
                revision,
                spec,
                state,
                acknowledgedFailures,
                acceptedOffline,
                false,
                batches,
                nodes);
    }

    /** Whether failures do not stop it: as created, or as an operator forced it (invariant A6). */
    public boolean ignoresFailures() {
        return forced || spec.strategy().ignoresFailures();
    }

    /** Index of the batch in flight: the first that is not promoted; the last one when all are. */
    public int currentBatch() {
        for (Batch batch : batches) {
            if (batch.phase() != BatchPhase.PROMOTED) {
                return batch.index();
            }
        }
        return Math.max(0, batches.size() - 1);
    }

    /** Whether every batch has passed its gate. */
    public boolean areAllBatchesPromoted() {
        return batches.stream().allMatch(batch -> batch.phase() == BatchPhase.PROMOTED);
    }

    /** The nodes of one batch. */
    public Stream<NodeUpgrade> nodesInBatch(int index) {
        return nodes.values().stream().filter(node -> node.batch() == index);
    }

    /** Whether no node of a batch waits for its turn or is in flight. */
    public boolean isBatchDecided(int batch) {
        return nodesInBatch(batch)
                .noneMatch(
                        node ->
                                node.state().isInFlight()
                                        || node.state() instanceof NodeState.Pending
                                        || (batches.get(batch).canary()
                                                && node.state() instanceof NodeState.Held));
    }

    /** The counters over all nodes. */
    public NodeCounters counters() {
        return NodeCounters.of(nodes.values());
    }

    /** How many of its nodes nothing could bring back (DESIGN § 4, Rollback). */
    public int notRollbackableCount() {
        return (int) nodes.values().stream().filter(NodeUpgrade::isNotRollbackable).count();
    }

    /**
     * Failures among the nodes of the batches up to the present one that nobody has accepted
     * (invariant A6).
     */
    public int unacknowledgedFailureCount() {
        return Math.max(0, thresholdFailureCount() - acknowledgedFailures);
    }

    /**
     * Failures among the nodes of the batches up to the present one; of the unreachable only those
     * beyond the offline budget (invariant A7), of the expected ones only those beyond their cap. A
     * canary that failed has proved nothing, so nothing covers it.
     */
    public int thresholdFailureCount() {
        int current = currentBatch();
        int failed = 0;
        int unreachable = 0;
        int expected = 0;
        for (NodeUpgrade node : nodes.values()) {
            if (node.batch() <= current && node.state().isFailure()) {
                boolean canary = batches.get(node.batch()).canary();
                if (node.state() instanceof NodeState.Unreachable && !canary) {
                    unreachable++;
                } else if (isExpectedFailure(node)) {
                    expected++;
                } else {
                    failed++;
                }
            }
        }
        return failed
                + Math.max(0, expected - spec.conduct().expected().atMost())
                + Math.max(0, unreachable - spec.offlineBudget());
    }

    /** A canary is there to fail: whatever happens to it counts. */
    private boolean isExpectedFailure(NodeUpgrade node) {
        return spec.conduct().expected().covers(node.state())
                && !batches.get(node.batch()).canary();
    }

    /** Whether too many nodes have failed to dispatch another. */
    public boolean isBeyondThreshold() {
        return spec.threshold().isExceededBy(unacknowledgedFailureCount(), attemptedCount());
    }

    /** Nodes that were given work, skipped ones excluded (seed 000: failed over attempted). */
    private int attemptedCount() {
        return (int)
                nodes.values().stream()
                        .filter(node -> node.attempts() > 0)
                        .filter(node -> !(node.state() instanceof NodeState.Skipped))
                        .count();
    }

    /** Health gate of the rollback that runs; otherwise the declared one. */
    public RollbackHealthPolicy effectiveRollbackHealth() {
        return RolloutState.resumedState(state) instanceof RolloutState.RollingBack back
                ? back.health()
                : spec.conduct().rollbackHealth();
    }

    /** The first node that became unhealthy after it had succeeded and was not accepted (A22). */
    public Optional<NodeUpgrade> firstUnacknowledgedLateFailure() {
        return nodes.values().stream()
                .filter(
                        node ->
                                node.state() instanceof NodeState.Unhealthy late
                                        && !late.acknowledged())
                .findFirst();
    }

    /** The same created with this. */
    public Rollout withSpec(RolloutSpec as) {
        return new Rollout(
                id,
                revision,
                as,
                state,
                acknowledgedFailures,
                acceptedOffline,
                forced,
                batches,
                nodes);
    }

    /** The same rollout after a commit. */
    public Rollout withNextRevision() {
        return new Rollout(
                id,
                revision + 1,
                spec,
                state,
                acknowledgedFailures,
                acceptedOffline,
                forced,
                batches,
                nodes);
    }

    static Map<NodeId, NodeUpgrade> orderById(Collection<NodeUpgrade> nodes) {
        Map<NodeId, NodeUpgrade> ordered = new LinkedHashMap<>(nodes.size() * 2);
        nodes.stream()
                .sorted(java.util.Comparator.comparing(NodeUpgrade::id))
                .forEach(node -> ordered.put(node.id(), node));
        return ordered;
    }
}
