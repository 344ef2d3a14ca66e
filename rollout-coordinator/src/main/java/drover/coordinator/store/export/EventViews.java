package drover.coordinator.store.export;

import drover.coordinator.event.EventHistoryEntry;
import drover.coordinator.store.sql.StoreUnavailable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * History as events are made of it, in the one order that all readers see: a row is never seen
 * before one with a lower number (decision 0027). All methods throw {@link StoreUnavailable}.
 */
public interface EventViews {
    /** Rows after a place, oldest first. */
    List<EventHistoryEntry> findAfter(long seq, RolloutAndNodeFilter only, int limit);

    /** The place of the newest row; 0 when there is none. */
    long newestSequence();

    /** The hash of a row, to see whether it is the one that somebody remembers. */
    Optional<String> findHash(long seq);

    /** The receivers that the present leader sends to, by name. */
    List<SinkProgress> sinks();

    /** A history in which nothing happens. */
    static EventViews empty() {
        return new EventViews() {
            @Override
            public List<EventHistoryEntry> findAfter(
                    long seq, RolloutAndNodeFilter only, int limit) {
                return List.of();
            }

            @Override
            public long newestSequence() {
                return 0;
            }

            @Override
            public Optional<String> findHash(long seq) {
                return Optional.empty();
            }

            @Override
            public List<SinkProgress> sinks() {
                return List.of();
            }
        };
    }

    /** Of which rollout and node; empty texts for all. */
    record RolloutAndNodeFilter(String rollout, String node) {
        /** Everything. */
        public static final RolloutAndNodeFilter ALL = new RolloutAndNodeFilter("", "");
    }

    /**
     * How far a receiver is.
     *
     * @param lag moves of history that it has not been told of
     * @param failingSince null while it takes what is sent
     * @param deadLetters events that it rejected
     */
    record SinkProgress(
            String name,
            String kind,
            long lastDelivered,
            long lag,
            @Nullable Instant failingSince,
            String problem,
            long deadLetters) {}
}
