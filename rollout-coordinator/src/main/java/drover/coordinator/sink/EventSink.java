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
    DeliveryResult deliver(List<RolloutEvent> events) throws InterruptedException;

    /** Ends its connections. */
    @Override
    void close();

    /** An event that the receiver does not accept, and why. */
    record RejectedEvent(RolloutEvent event, String problem) {}

    /**
     * Result of a delivery.
     *
     * @param delivered number of events, from the first, that were accepted or rejected
     * @param rejected those that were rejected
     * @param problem why the others were not taken, in one sentence; empty when all were
     */
    record DeliveryResult(int delivered, List<RejectedEvent> rejected, String problem) {
        public DeliveryResult {
            rejected = List.copyOf(rejected);
        }

        /** Without rejected events. */
        public DeliveryResult(int taken, String problem) {
            this(taken, List.of(), problem);
        }

        /** All were accepted. */
        public static DeliveryResult allAccepted(List<RolloutEvent> events) {
            return new DeliveryResult(events.size(), "");
        }
    }
}
