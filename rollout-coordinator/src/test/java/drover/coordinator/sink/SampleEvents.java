package drover.coordinator.sink;

import drover.coordinator.event.EventHistoryEntry;
import drover.coordinator.event.EventMapper;
import drover.coordinator.event.RolloutEvent;
import drover.model.Digest;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;

/** Events as history gives them. */
public final class SampleEvents {
    static final String ROLLOUT = "4f3c2a10-0000-4000-8000-000000000001";

    private SampleEvents() {}

    /** A rollout's start, moves of its batches, and its end, at these places. */
    static List<RolloutEvent> from(long first, long last) {
        return EventMapper.of(
                LongStream.rangeClosed(first, last)
                        .mapToObj(seq -> row(seq, first, last))
                        .toList());
    }

    private static EventHistoryEntry row(long seq, long first, long last) {
        boolean progress = seq > first && seq < last;
        return new EventHistoryEntry(
                seq,
                Digest.of("row " + seq).value(),
                Instant.parse("2026-01-01T00:00:00Z").plusSeconds(seq),
                new EventHistoryEntry.RolloutDescription(
                        ROLLOUT, "demo", "web", "v1", "v2", "rolling"),
                "alice",
                progress ? "batch " + seq : "rollout",
                "",
                seq == first ? "pending" : "running",
                seq == first ? "running" : "completed",
                "MOVED",
                "It moved.");
    }

    /** A start with this sentence. */
    static RolloutEvent saying(String sentence) {
        EventHistoryEntry start = row(1, 1, 1);
        return EventMapper.of(
                        new EventHistoryEntry(
                                99,
                                Digest.of("row 99").value(),
                                start.at(),
                                start.rolloutFacts(),
                                start.actor(),
                                start.subject(),
                                start.node(),
                                start.from(),
                                start.to(),
                                start.code(),
                                sentence))
                .orElseThrow();
    }
}
