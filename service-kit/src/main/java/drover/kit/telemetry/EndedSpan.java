package drover.kit.telemetry;

import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * A span that has ended, under ids that its owner chose, so that it can be sent twice and is still
 * one span.
 *
 * @param traceId 32 hexadecimal digits
 * @param spanId 16 hexadecimal digits
 * @param parentId 16 hexadecimal digits; empty for the root of its trace
 * @param attributes texts, whole numbers ({@code Long}) and {@code Boolean}s; others are refused
 * @param failure one sentence when what it tells of failed; empty otherwise
 */
public record EndedSpan(
        String traceId,
        String spanId,
        String parentId,
        String name,
        Instant start,
        Instant end,
        Map<String, Object> attributes,
        List<Event> events,
        String failure) {
    public EndedSpan {
        attributes = Map.copyOf(attributes);
        events = List.copyOf(events);
    }

    /** Something that happened while the span lasted. */
    public record Event(Instant at, String name, Map<String, Object> attributes) {
        public Event {
            attributes = Map.copyOf(attributes);
        }
    }
}
