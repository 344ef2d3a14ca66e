package drover.coordinator.trace;

import java.util.List;
import java.util.Map;

/**
 * What is read of a rollout to make spans.
 *
 * @param attributes what the root span carries, for example {@code drover.chain}
 * @param canary index of the canary batch; -1 when there is none
 * @param history in order; every row of the rollout and its batches, and of the nodes that matter
 * @param attempts of those nodes
 */
public record TracedRollout(
        String id,
        String traceId,
        Map<String, Object> attributes,
        int canary,
        List<HistoryEntryForSpans> history,
        List<TracedAttempt> attempts) {
    public TracedRollout {
        attributes = Map.copyOf(attributes);
        history = List.copyOf(history);
        attempts = List.copyOf(attempts);
    }
}
