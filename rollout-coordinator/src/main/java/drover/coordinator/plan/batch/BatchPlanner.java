package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.Strategy;
import drover.model.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

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
     * @param seed chooses the canary; stored with the rollout so that the choice can be repeated
     */
    public static List<PlannedBatch> plan(Strategy strategy, List<NodeId> nodes, long seed) {
        List<NodeId> sorted = nodes.stream().sorted().toList();
        return switch (strategy) {
            case Strategy.Rolling(int size) -> slices(sorted, size);
            case Strategy.Canary(int canary, int size) -> canary(sorted, canary, size, seed);
            case Strategy.Progressive progressive -> ladder(sorted);
            case Strategy.AllAtOnce all -> slices(sorted, Math.max(1, sorted.size()));
        };
    }

    private static List<PlannedBatch> canary(
            List<NodeId> nodes, int canarySize, int batchSize, long seed) {
        List<NodeId> shuffled = new ArrayList<>(nodes);
        Collections.shuffle(shuffled, new Random(seed));
        int first = Math.min(canarySize, nodes.size());
        List<NodeId> chosen = shuffled.subList(0, first).stream().sorted().toList();
        List<NodeId> rest = shuffled.subList(first, shuffled.size()).stream().sorted().toList();
        List<PlannedBatch> batches = new ArrayList<>();
        if (!chosen.isEmpty()) {
            batches.add(new PlannedBatch(true, chosen));
        }
        batches.addAll(slices(rest, batchSize));
        return batches;
    }

    private static List<PlannedBatch> ladder(List<NodeId> nodes) {
        List<PlannedBatch> batches = new ArrayList<>();
        int from = 0;
        for (int rung = 0; from < nodes.size(); rung++) {
            int to =
                    Math.min(
                            nodes.size(),
                            from + Strategy.Progressive.rung(rung, nodes.size()).orElseThrow());
            batches.add(new PlannedBatch(false, nodes.subList(from, to)));
            from = to;
        }
        return batches;
    }

    private static List<PlannedBatch> slices(List<NodeId> nodes, int size) {
        List<PlannedBatch> batches = new ArrayList<>();
        for (int from = 0; from < nodes.size(); from += size) {
            batches.add(
                    new PlannedBatch(
                            false, nodes.subList(from, Math.min(nodes.size(), from + size))));
        }
        return batches;
    }
}
