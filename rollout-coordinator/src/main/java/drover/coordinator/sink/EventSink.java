package drover.coordinator.sink;

import drover.coordinator.announce.Announcement;
import java.util.List;

/** A receiver of events outside Drover. Used by one loop at a time; keeps no queue. */
public interface EventSink extends AutoCloseable {
    /** Its name, which its mark is kept under: the same after a restart. */
    String name();

    /** {@code nats} or {@code webhook}. */
    String kind();

    /**
     * Hands events over in their order, and stops at the first that is not taken: taken is what the
     * receiver itself has confirmed, not what was sent.
     *
     * @throws InterruptedException when this replica leads no longer
     */
    Delivery deliver(List<Announcement> events) throws InterruptedException;

    /** Ends its connections. */
    @Override
    void close();

    /**
     * How it went.
     *
     * @param taken how many of them, from the first
     * @param problem why not all, in one sentence; empty when all were taken
     */
    record Delivery(int taken, String problem) {
        /** All were taken. */
        public static Delivery all(List<Announcement> events) {
            return new Delivery(events.size(), "");
        }
    }
}
