package drover.coordinator.plan.health;

import drover.model.NodeId;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which health-evaluator a rollout asks, by what it has asked in vain (decision 0086). Pure.
 *
 * <p>None is asked again that did not hear a node which is still waited for, so that a rollout
 * whose nodes no single evaluator hears comes to rest, and pauses at its deadline. It is forgotten
 * when the rollout comes into another state, as by being resumed: somebody has looked.
 *
 * @param since since when the rollout had been in its state
 * @param failedNodes of which nodes nothing was heard there, by the opening of the evaluator's link
 */
public record EvaluatorSelector(Instant since, Map<Long, Set<NodeId>> failedNodes) {
    /** Nothing was asked in vain. */
    public static final EvaluatorSelector NONE_TRIED = new EvaluatorSelector(Instant.MIN, Map.of());

    private static final Comparator<ConnectedEvaluator> LEAST_BUSY =
            Comparator.comparingLong(ConnectedEvaluator::rollouts);

    public EvaluatorSelector {
        failedNodes = Map.copyOf(failedNodes);
    }

    /**
     * An evaluator that can be heard.
     *
     * @param generation number of this opening of its link: one that was lost and is back is
     *     another, and may reach what it had not
     * @param rollouts how many rollouts ask it
     */
    public record ConnectedEvaluator(long generation, long rollouts) {}

    /**
     * Nodes of a rollout of which nothing is heard.
     *
     * @param since since when the rollout has been in its state
     * @param nodes those nodes
     * @param waitedFor all of the rollout whose health is waited for, heard or not
     */
    public record NodesWithoutData(Instant since, Set<NodeId> nodes, Set<NodeId> waitedFor) {
        public NodesWithoutData {
            nodes = Set.copyOf(nodes);
            waitedFor = Set.copyOf(waitedFor);
        }
    }

    /** Whom a rollout asks that asks nobody: the least busy, the first of them on a tie. */
    public Optional<ConnectedEvaluator> selectInitial(Collection<ConnectedEvaluator> open) {
        return open.stream()
                .min(
                        Comparator.comparing(
                                        (ConnectedEvaluator each) ->
                                                failedNodes.containsKey(each.generation()))
                                .thenComparing(LEAST_BUSY));
    }

    /** Whom it asks in place of the present one: the least busy that was not asked in vain. */
    public Optional<ConnectedEvaluator> selectNext(
            long present, Collection<ConnectedEvaluator> open) {
        return open.stream()
                .filter(each -> each.generation() != present)
                .filter(each -> !failedNodes.containsKey(each.generation()))
                .min(LEAST_BUSY);
    }

    /** The same once nothing is heard of some nodes at the present one. */
    public EvaluatorSelector withNodesWithoutData(
            long present, Collection<ConnectedEvaluator> open, NodesWithoutData withoutData) {
        Map<Long, Set<NodeId>> known = new HashMap<>();
        for (ConnectedEvaluator each : open) {
            Set<NodeId> there = new HashSet<>();
            if (since.equals(withoutData.since())) {
                there.addAll(failedNodes.getOrDefault(each.generation(), Set.of()));
            }
            if (each.generation() == present) {
                there.addAll(withoutData.nodes());
            }
            there.retainAll(withoutData.waitedFor());
            if (!there.isEmpty()) {
                known.put(each.generation(), Set.copyOf(there));
            }
        }
        return new EvaluatorSelector(withoutData.since(), known);
    }
}
