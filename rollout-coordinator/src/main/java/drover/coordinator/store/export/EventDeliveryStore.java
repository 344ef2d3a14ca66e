package drover.coordinator.store.export;

import drover.coordinator.event.EventHistoryEntry;
import drover.coordinator.sink.EventSink.RejectedEvent;
import drover.coordinator.store.sql.StoreUnavailable;
import java.util.List;
import java.util.OptionalLong;

/**
 * How far each receiver of events has come. Written by the leader under the fence, after the
 * receiver took what was sent and never before: whatever was not marked is sent again (invariant
 * G4). All methods throw {@link StoreUnavailable}.
 */
public interface EventDeliveryStore {
    /**
     * Where to go on with a receiver. One that was never heard of begins with what happens from now
     * on. Empty when another leader has taken over.
     */
    OptionalLong registerSinkAndReadMark(long epoch, String name, String kind);

    /**
     * Moves the mark forward, never back, and stores rejected events as dead letters in the same
     * transaction; false when stale.
     */
    boolean writeDelivered(long epoch, String name, long through, List<RejectedEvent> rejected);

    /** Moves the mark without rejected events. */
    default boolean writeDelivered(long epoch, String name, long through) {
        return writeDelivered(epoch, name, through, List.of());
    }

    /** Dead letters of a receiver whose redelivery an operator requested, oldest first. */
    List<EventHistoryEntry> findRequestedRetries(String name, int limit);

    /**
     * Stores the result of a redelivery; false when stale.
     *
     * @param problem why it was rejected again; empty when it was accepted, and is no dead letter
     *     any more
     */
    boolean writeRetryResult(long epoch, String name, long seq, String problem);

    /** Notes that a receiver takes nothing, and why; false when stale. */
    boolean writeSinkFailure(long epoch, String name, String problem);

    /** A store that keeps nothing. */
    static EventDeliveryStore none() {
        return new EventDeliveryStore() {
            @Override
            public OptionalLong registerSinkAndReadMark(long epoch, String name, String kind) {
                return OptionalLong.of(0);
            }

            @Override
            public boolean writeDelivered(
                    long epoch, String name, long through, List<RejectedEvent> rejected) {
                return true;
            }

            @Override
            public List<EventHistoryEntry> findRequestedRetries(String name, int limit) {
                return List.of();
            }

            @Override
            public boolean writeRetryResult(long epoch, String name, long seq, String problem) {
                return true;
            }

            @Override
            public boolean writeSinkFailure(long epoch, String name, String problem) {
                return true;
            }
        };
    }
}
