package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.NodeOrder;
import drover.coordinator.plan.model.Strategy;
import drover.model.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Turns every strategy into a list of batches (invariant A8: each node in exactly one, none empty).
 */
public final class BatchPlanner {
    private BatchPlanner() {}

    /**
     * One planned batch.
     *
     * @param canary whether any failure in it pauses the rollout
     */
    public record PlannedBatch(boolean canary, List<NodeId> nodes) {
        public PlannedBatch {
            nodes = List.copyOf(nodes);
        }
    }

    /**
     * Plans the batches of these nodes.
     *
     * @param nodes targets in the order of the rollout
     * @param seed chooses the canary; stored with the rollout so that the choice can be repeated
     */
    public static List<PlannedBatch> plan(
            Strategy strategy, NodeOrder order, List<NodeId> nodes, long seed) {
        Set<NodeId> last = Set.copyOf(order.last());
        return switch (strategy) {
            case Strategy.Rolling(int size) -> slicesWithLast(nodes, size, last);
            case Strategy.Canary(int canary, int size) ->
                    planCanary(nodes, Math.min(canary, nodes.size()), size, order, seed);
            case Strategy.Progressive progressive -> progressiveWithLast(nodes, last);
            case Strategy.AllAtOnce all -> splitBySize(nodes, Math.max(1, nodes.size()));
        };
    }

    /** Last nodes have batches after those of all others, also if a batch before is not full. */
    private static List<PlannedBatch> slicesWithLast(
            List<NodeId> nodes, int size, Set<NodeId> last) {
        List<PlannedBatch> batches = splitBySize(without(nodes, last), size);
        batches.addAll(splitBySize(nodes.stream().filter(last::contains).toList(), size));
        return batches;
    }

    /** The same on the ladder, whose rungs are large at its end: last nodes go one by one. */
    private static List<PlannedBatch> progressiveWithLast(List<NodeId> nodes, Set<NodeId> last) {
        List<PlannedBatch> batches = planProgressive(without(nodes, last));
        batches.addAll(splitBySize(nodes.stream().filter(last::contains).toList(), 1));
        return batches;
    }

    private static List<NodeId> without(List<NodeId> nodes, Set<NodeId> removed) {
        return nodes.stream().filter(node -> !removed.contains(node)).toList();
    }

    private static List<PlannedBatch> planCanary(
            List<NodeId> nodes, int canarySize, int batchSize, NodeOrder order, long seed) {
        Set<NodeId> chosen =
                Set.copyOf(canaryCandidates(nodes, order, seed).subList(0, canarySize));
        List<PlannedBatch> batches = new ArrayList<>();
        if (!chosen.isEmpty()) {
            batches.add(new PlannedBatch(true, nodes.stream().filter(chosen::contains).toList()));
        }
        batches.addAll(slicesWithLast(without(nodes, chosen), batchSize, Set.copyOf(order.last())));
        return batches;
    }

    /** Nodes in the order in which they are taken for the canary. */
    private static List<NodeId> canaryCandidates(List<NodeId> nodes, NodeOrder order, long seed) {
        if (order.isCanaryFirstInOrder()) {
            return nodes;
        }
        Set<NodeId> last = Set.copyOf(order.last());
        List<NodeId> candidates = new ArrayList<>(without(nodes, last));
        Collections.shuffle(candidates, new Random(seed));
        nodes.stream().filter(last::contains).forEach(candidates::add);
        return candidates;
    }

    private static List<PlannedBatch> planProgressive(List<NodeId> nodes) {
        List<PlannedBatch> batches = new ArrayList<>();
        int from = 0;
        for (int rung = 0; from < nodes.size(); rung++) {
            int to =
                    Math.min(
                            nodes.size(),
                            from
                                    + Strategy.Progressive.batchSizeAt(rung, nodes.size())
                                            .orElseThrow());
            batches.add(new PlannedBatch(false, nodes.subList(from, to)));
            from = to;
        }
        return batches;
    }

    private static List<PlannedBatch> splitBySize(List<NodeId> nodes, int size) {
        List<PlannedBatch> batches = new ArrayList<>();
        for (int from = 0; from < nodes.size(); from += size) {
            batches.add(
                    new PlannedBatch(
                            false, nodes.subList(from, Math.min(nodes.size(), from + size))));
        }
        return batches;
    }
}
