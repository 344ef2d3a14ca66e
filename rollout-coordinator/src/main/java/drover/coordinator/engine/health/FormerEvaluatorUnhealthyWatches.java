package drover.coordinator.engine.health;

import drover.coordinator.plan.observed.HealthVerdict;
import drover.model.NodeId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The watches of health-evaluators that were left for others. They go on until their attempts end,
 * because how often a node went from well to bad is known only to whoever has counted it (F4). Used
 * under the lock of its {@link EvaluatorAssignments}.
 */
final class FormerEvaluatorUnhealthyWatches {
    private final Map<EvaluatorConnection, Map<NodeId, FormerWatch>> lines = new HashMap<>();

    /**
     * One watch.
     *
     * @param broken what its evaluator says is broken now; null while it says something else
     */
    private record FormerWatch(long attempt, HealthVerdict.@Nullable Unhealthy broken) {}

    /**
     * This line is left, and watches on.
     *
     * @param reported its latest verdict; null when it has said none
     */
    void add(
            EvaluatorConnection line, NodeId node, long attempt, @Nullable HealthVerdict reported) {
        lines.computeIfAbsent(line, _ -> new HashMap<>())
                .put(node, new FormerWatch(attempt, unhealthyOrNull(reported)));
    }

    private static HealthVerdict.@Nullable Unhealthy unhealthyOrNull(
            @Nullable HealthVerdict reported) {
        return reported instanceof HealthVerdict.Unhealthy unhealthy ? unhealthy : null;
    }

    /** Returns the nodes of which it says now that something is broken, or does not any more. */
    Set<NodeId> apply(EvaluatorConnection line, Map<NodeId, HealthVerdict> verdicts) {
        Map<NodeId, FormerWatch> watched = lines.getOrDefault(line, Map.of());
        Set<NodeId> changed = new HashSet<>();
        verdicts.forEach(
                (node, verdict) -> {
                    FormerWatch before = watched.get(node);
                    if (before != null && before.attempt() == verdict.attempt()) {
                        FormerWatch now =
                                new FormerWatch(verdict.attempt(), unhealthyOrNull(verdict));
                        watched.put(node, now);
                        if (!now.equals(before)) {
                            changed.add(node);
                        }
                    }
                });
        return changed;
    }

    /** What any of them says is broken of this attempt. */
    Optional<HealthVerdict.Unhealthy> findUnhealthy(NodeId node, long attempt) {
        return lines.values().stream()
                .flatMap(watched -> Optional.ofNullable(watched.get(node)).stream())
                .filter(left -> left.attempt() == attempt)
                .flatMap(left -> Optional.ofNullable(left.broken()).stream())
                .findFirst();
    }

    /** The line is asked of the node again: an evaluator has one watch of a node. */
    void remove(EvaluatorConnection line, NodeId node) {
        Optional.ofNullable(lines.get(line)).ifPresent(watched -> watched.remove(node));
    }

    /** These attempts are watched no more. */
    void removeAndUnwatch(Map<NodeId, Long> attempts) {
        lines.forEach(
                (line, watched) -> {
                    List<NodeId> over =
                            attempts.entrySet().stream()
                                    .filter(
                                            each ->
                                                    isForAttempt(
                                                            watched.get(each.getKey()),
                                                            each.getValue()))
                                    .map(Map.Entry::getKey)
                                    .toList();
                    if (!over.isEmpty()) {
                        watched.keySet().removeAll(over);
                        line.unwatch(over);
                    }
                });
    }

    private static boolean isForAttempt(@Nullable FormerWatch left, long attempt) {
        return left != null && left.attempt() == attempt;
    }

    /** Whoever is lost counts no more; returns the nodes of which it said something is broken. */
    Set<NodeId> removeEvaluator(EvaluatorConnection line) {
        Map<NodeId, FormerWatch> watched = Objects.requireNonNullElse(lines.remove(line), Map.of());
        Set<NodeId> broken = new HashSet<>(watched.keySet());
        broken.removeIf(node -> Objects.requireNonNull(watched.get(node)).broken() == null);
        return broken;
    }
}
