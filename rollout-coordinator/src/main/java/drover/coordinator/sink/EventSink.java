package drover.coordinator.sink;

import drover.coordinator.event.RolloutEvent;
import java.util.List;

/** A receiver of events outside Drover. Used by one loop at a time; keeps no queue. */
public interface EventSink extends AutoCloseable {
    /** Its name, which its mark is kept under: the same after a restart. */
    String name();

    /** {@code nats} or {@code webhook}. */
    String kind();

    /**
     * Delivers events in their order and stops at the first that the receiver could not take:
     * counted is what the receiver confirmed, not what was sent. Rejected events do not stop it.
     *
     * @throws InterruptedException when this replica leads no longer
     */
    Delivery deliver(List<RolloutEvent> events) throws InterruptedException;

    /** Ends its connections. */
    @Override
    void close();

    /** An event that the receiver does not accept, and why. */
    record Rejected(RolloutEvent event, String problem) {}

    /**
     * Result of a delivery.
     *
     * @param delivered number of events, from the first, that were accepted or rejected
     * @param rejected those that were rejected
     * @param problem why the others were not taken, in one sentence; empty when all were
     */
    record Delivery(int delivered, List<Rejected> rejected, String problem) {
        public Delivery {
            rejected = List.copyOf(rejected);
        }

        /** Without rejected events. */
        public Delivery(int taken, String problem) {
            this(taken, List.of(), problem);
        }

        /** All were accepted. */
        public static Delivery all(List<RolloutEvent> events) {
            return new Delivery(events.size(), "");
        }
    }
}
