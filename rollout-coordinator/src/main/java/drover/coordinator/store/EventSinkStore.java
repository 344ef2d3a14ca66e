package drover.coordinator.store;

import java.util.OptionalLong;

/**
 * How far each receiver of events has come. Written by the leader under the fence, after the
 * receiver took what was sent and never before: whatever was not marked is sent again (invariant
 * G4). All methods throw {@link StoreUnavailable}.
 */
public interface EventSinkStore {
    /**
     * Where to go on with a receiver. One that was never heard of begins with what happens from now
     * on. Empty when another leader has taken over.
     */
    OptionalLong enroll(long epoch, String name, String kind);

    /** Moves the mark forward, never back, and notes that all is well; false when stale. */
    boolean taken(long epoch, String name, long through);

    /** Notes that a receiver takes nothing, and why; false when stale. */
    boolean refused(long epoch, String name, String problem);

    /** A store that keeps nothing. */
    static EventSinkStore none() {
        return new EventSinkStore() {
            @Override
            public OptionalLong enroll(long epoch, String name, String kind) {
                return OptionalLong.of(0);
            }

            @Override
            public boolean taken(long epoch, String name, long through) {
                return true;
            }

            @Override
            public boolean refused(long epoch, String name, String problem) {
                return true;
            }
        };
    }
}
