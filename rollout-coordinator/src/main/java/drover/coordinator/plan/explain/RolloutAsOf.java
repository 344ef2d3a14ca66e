package drover.coordinator.plan.explain;

import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeCounters;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.Cause;
import drover.model.NodeId;
import drover.model.OptionalEnumParser;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a rollout stood at a past moment, from the last move of everything that had moved by then
 * (one history row per move, invariant G1). Pure.
 */
public final class RolloutAsOf {
    private static final Set<String> FAILED =
            Set.of("failed", "failed_rollback", "unhealthy", "unreachable");
    private static final Set<String> AT_WORK =
            Set.of("assigned", "upgrading", "settling", "restoring", "restored");

    private final Rollout rollout;
    private final Map<String, LastTransition> subjects = new HashMap<>();
    private final Map<NodeId, LastTransition> nodes = new HashMap<>();

    private RolloutAsOf(Rollout rollout) {
        this.rollout = rollout;
    }

    /**
     * One move as the history tells it.
     *
     * @param subject {@code rollout}, {@code batch 2} or {@code node}
     * @param node null when a rollout or a batch moved
     */
    public record LastTransition(
            String subject,
            @Nullable NodeId node,
            String from,
            String to,
            Cause because,
            Instant at) {}

    /**
     * How a rollout stood.
     *
     * @param rollout the rollout as it is now: what it was created with does not change
     * @param lastMoves for the rollout, each batch and each node the last move up to then
     */
    public static RolloutAsOf of(Rollout rollout, List<LastTransition> lastMoves) {
        RolloutAsOf past = new RolloutAsOf(rollout);
        for (LastTransition move : lastMoves) {
            if (move.node() == null) {
                past.subjects.put(move.subject(), move);
            } else {
                past.nodes.put(move.node(), move);
            }
        }
        return past;
    }

    /** The last move of the rollout itself; its creation is the first. */
    public LastTransition lastRolloutTransition() {
        LastTransition move = subjects.get("rollout");
        if (move == null) {
            throw new IllegalStateException("The history of a rollout begins with its creation");
        }
        return move;
    }

    /**
     * Where a batch stood; pending before it moved for the first time. Empty while it stood where
     * only a later version of Drover has a name for, so that this hides nothing else of the
     * rollout.
     */
    public Optional<BatchPhase> phase(Batch batch) {
        LastTransition move = subjects.get("batch " + (batch.index() + 1));
        String word = move == null ? "pending" : move.to();
        return OptionalEnumParser.byLowerCaseName(BatchPhase.class, word);
    }

    /** Where a node stood, as people read it. */
    public String status(NodeId node) {
        LastTransition move = nodes.get(node);
        return move == null ? "pending" : move.to();
    }

    /** Whether a node counted as failed. */
    public boolean hadFailed(NodeId node) {
        return FAILED.contains(status(node));
    }

    /** Whether work on a node was under way. */
    public boolean wasInFlight(NodeId node) {
        return AT_WORK.contains(status(node));
    }

    /** The counters as they were. */
    public NodeCounters counters() {
        int succeeded = 0;
        int failed = 0;
        int skipped = 0;
        int rolledBack = 0;
        for (NodeId node : rollout.nodes().keySet()) {
            switch (status(node)) {
                case "succeeded" -> succeeded++;
                case "failed", "failed_rollback", "unhealthy", "unreachable" -> failed++;
                case "skipped" -> skipped++;
                case "rolled_back" -> rolledBack++;
                default -> {} // still to be done: the rest
            }
        }
        int total = rollout.nodes().size();
        int pending = total - succeeded - failed - skipped - rolledBack;
        return new NodeCounters(total, succeeded, failed, pending, skipped, rolledBack);
    }

    /** Why it stood there: the rollout first, then every node at work or failed, oldest first. */
    public List<LastTransition> explainingTransitions() {
        List<LastTransition> reasons = new ArrayList<>();
        reasons.add(lastRolloutTransition());
        nodes.entrySet().stream()
                .filter(entry -> hadFailed(entry.getKey()) || wasInFlight(entry.getKey()))
                .map(Map.Entry::getValue)
                .sorted(
                        Comparator.comparing(LastTransition::at)
                                .thenComparing(move -> "" + move.node()))
                .forEach(reasons::add);
        return reasons;
    }
}
