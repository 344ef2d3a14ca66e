package drover.coordinator.metrics;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Since when a rollout and its nodes are at work, and what their moves end. One for each loop, used
 * by its thread alone. A rollout is at work from its start, or from the rollback of an ended one; a
 * node from when work is allotted to it, or from when a rollback takes it up. Pauses count: what is
 * measured is how long people waited.
 */
public final class RolloutAndNodeDurationTracker {
    /** What a rollout can end as. */
    public static final Set<String> ROLLOUT_ENDS =
            Set.of("completed", "failed", "cancelled", "rolled_back");

    private static final Set<String> ROLLOUT_RESTS =
            Set.of("pending", "completed", "failed", "cancelled");

    /** What the upgrade of a node can come to. */
    public static final Set<String> NODE_ENDS =
            Set.of(
                    "succeeded",
                    "failed",
                    "failed_rollback",
                    "unreachable",
                    "skipped",
                    "rolled_back");

    /** A late failure of a node whose upgrade had ended. */
    private static final String UNHEALTHY = "unhealthy";

    private final Map<String, Instant> nodes = new HashMap<>();
    private @Nullable Instant rollout;

    /** Takes in what happened before, in order, without telling of it. */
    public void replay(Collection<HistoryEntryForMetrics> past) {
        past.forEach(this::apply);
    }

    /** Forgets everything. */
    public void clear() {
        nodes.clear();
        rollout = null;
    }

    /** Takes in what was just committed, and tells what came to an end by it. */
    public List<FinishedWork> applyCommitted(Collection<HistoryEntryForMetrics> committed) {
        List<FinishedWork> ended = new ArrayList<>();
        committed.forEach(move -> apply(move).ifPresent(ended::add));
        return ended;
    }

    private Optional<FinishedWork> apply(HistoryEntryForMetrics move) {
        if (move.isRolloutStateChange()) {
            return applyRollout(move);
        }
        return move.isNodeStateChange() ? applyNode(move) : Optional.empty();
    }

    private Optional<FinishedWork> applyRollout(HistoryEntryForMetrics move) {
        if (!ROLLOUT_ENDS.contains(move.to())) {
            if (ROLLOUT_RESTS.contains(move.from())) {
                rollout = move.at();
            }
            return Optional.empty();
        }
        Instant since = rollout;
        rollout = null;
        return Optional.of(new FinishedWork.FinishedRollout(move.to(), elapsed(since, move)));
    }

    private Optional<FinishedWork> applyNode(HistoryEntryForMetrics move) {
        if (move.from().equals(UNHEALTHY) && move.to().equals("succeeded")) {
            return Optional.empty(); // healthy again: its upgrade ended before
        }
        if (!NODE_ENDS.contains(move.to())) {
            boolean starts =
                    move.to().equals("assigned")
                            || (move.to().equals("restoring") && hasEnded(move.from()));
            if (starts) {
                nodes.put(move.node(), move.at());
            } else if (move.to().equals("pending")) {
                nodes.remove(move.node()); // withdrawn, or to be tried again
            }
            return Optional.empty();
        }
        Instant since = nodes.remove(move.node());
        return Optional.of(new FinishedWork.FinishedNode(move.to(), elapsed(since, move)));
    }

    private static boolean hasEnded(String status) {
        return NODE_ENDS.contains(status) || status.equals(UNHEALTHY);
    }

    private static @Nullable Duration elapsed(
            @Nullable Instant since, HistoryEntryForMetrics move) {
        return since == null ? null : Duration.between(since, move.at());
    }
}
