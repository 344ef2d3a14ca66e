package drover.coordinator.engine.rollout;

import drover.coordinator.store.sql.UnwritableValue;
import drover.model.NodeId;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Applies statuses in parts after the database rejected a value of a step (J3: the affected item is
 * set aside, and the loop continues). Halves the statuses until each rejected one is alone: one
 * among n costs about 2 log2(n) commits, and there are at most 2 n.
 */
final class RejectedStatusIsolator {
    private RejectedStatusIsolator() {}

    /**
     * Plans and commits until every status is applied or rejected.
     *
     * @param suspects nodes whose statuses the rejected step was decided from
     * @param step plans and commits without the statuses of the given nodes
     * @param reject drops the status of one node
     * @throws UnwritableValue when the rejected value is not part of a status
     */
    static RolloutLoop.TickResult applyInParts(
            Collection<NodeId> suspects,
            Function<Set<NodeId>, RolloutLoop.TickResult> step,
            BiConsumer<NodeId, UnwritableValue> reject) {
        RolloutLoop.TickResult ticked = step.apply(Set.copyOf(suspects));
        Deque<List<NodeId>> parts = new ArrayDeque<>();
        split(List.copyOf(suspects), parts);
        while (!parts.isEmpty() && !hasEnded(ticked)) {
            List<NodeId> part = parts.pop();
            Set<NodeId> ignored = new HashSet<>(suspects);
            part.forEach(ignored::remove);
            try {
                ticked = step.apply(ignored);
            } catch (UnwritableValue e) {
                if (part.size() == 1) {
                    reject.accept(part.getFirst(), e);
                } else {
                    split(part, parts);
                }
            }
        }
        return hasEnded(ticked) ? ticked : new RolloutLoop.TickResult.TickAgain();
    }

    private static boolean hasEnded(RolloutLoop.TickResult ticked) {
        return switch (ticked) {
            case RolloutLoop.TickResult.TickAgain _, RolloutLoop.TickResult.Waiting _ -> false;
            case RolloutLoop.TickResult.Ended _, RolloutLoop.TickResult.SteppedDown _ -> true;
        };
    }

    private static void split(List<NodeId> nodes, Deque<List<NodeId>> parts) {
        int half = (nodes.size() + 1) / 2;
        if (half < nodes.size()) {
            parts.push(nodes.subList(half, nodes.size()));
        }
        parts.push(nodes.subList(0, half));
    }
}
