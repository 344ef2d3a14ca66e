package drover.coordinator.trace;

import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/**
 * A row of history.
 *
 * @param seq grows with every row of a rollout
 * @param subject {@code rollout}, {@code batch 2} or {@code node}
 * @param node empty unless a node moved
 * @param code stable code of the reason
 * @param sentence the reason in one sentence
 */
public record HistoryEntryForSpans(
        long seq,
        Instant at,
        String actor,
        String subject,
        String node,
        String from,
        String to,
        String code,
        String sentence) {
    private static final String SELF = "drover";

    boolean isOfRollout() {
        return subject.equals("rollout");
    }

    boolean isOfBatch() {
        return subject.startsWith("batch ");
    }

    /** Index of the batch that moved, from 0. */
    int batchIndex() {
        return Integer.parseInt(subject.substring("batch ".length())) - 1;
    }

    /** What an event tells of it; people are named, the coordinator itself is not. */
    FinishedSpan.Event toSpanEvent() {
        Map<String, Object> attributes = new TreeMap<>();
        attributes.put("drover.from", from);
        attributes.put("drover.reason", code);
        attributes.put("drover.sentence", sentence);
        if (!actor.equals(SELF)) {
            attributes.put("drover.actor", actor);
        }
        return new FinishedSpan.Event(at, to, attributes);
    }
}
