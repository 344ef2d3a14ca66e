package drover.coordinator.store.rollout;

import drover.coordinator.plan.model.Rollout;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the coordinator has kept of one node, up to a moment. All lists newest first.
 *
 * @param places the node in its latest rollouts as they are now
 * @param lastMoves its last move in each of its latest rollouts up to that moment
 * @param history its moves up to that moment
 */
public record NodeHistory(
        List<NodeInRollout> places,
        List<RolloutViews.NumberedHistoryEntry> lastMoves,
        List<RolloutViews.NumberedHistoryEntry> history,
        List<Attempt> attempts,
        List<SubmittedRequest> requests) {
    public NodeHistory {
        places = List.copyOf(places);
        lastMoves = List.copyOf(lastMoves);
        history = List.copyOf(history);
        attempts = List.copyOf(attempts);
        requests = List.copyOf(requests);
    }

    /** A rollout with this one of its nodes, the others left out. */
    public record NodeInRollout(Rollout rollout, Instant createdAt) {}

    /**
     * An attempt.
     *
     * @param rollout null for a clearing, which belongs to no rollout
     * @param restoreOf the attempt it undoes; 0 for an upgrade
     * @param outcome as the agent told it by then; empty before its first word
     * @param closedAt null while it was open
     */
    public record Attempt(
            long attempt,
            @Nullable RolloutId rollout,
            long restoreOf,
            String outcome,
            Instant assignedAt,
            @Nullable Instant closedAt) {}

    /** What an operator asked of a node. */
    public record SubmittedRequest(
            Instant at,
            String actor,
            String kind,
            String reason,
            String state,
            String refusal,
            RolloutId rollout) {}
}
