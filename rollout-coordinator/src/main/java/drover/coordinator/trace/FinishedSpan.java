package drover.coordinator.trace;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A span that has ended. Made from committed history alone, so that making it again gives the same.
 *
 * @param parentId empty for the rollout itself
 * @param attributes texts, {@code Long}s and {@code Boolean}s
 * @param failure one sentence when what it tells of failed; empty otherwise
 */
public record FinishedSpan(
        String traceId,
        String spanId,
        String parentId,
        String name,
        Instant start,
        Instant end,
        Map<String, Object> attributes,
        List<Event> events,
        String failure) {
    public FinishedSpan {
        attributes = Map.copyOf(attributes);
        events = List.copyOf(events);
        end = end.isBefore(start) ? start : end; // a node's clock may have been put back
    }

    /** A move while the span lasted; its name is the new status. */
    public record Event(Instant at, String name, Map<String, Object> attributes) {
        public Event {
            attributes = Map.copyOf(attributes);
        }
    }
}
