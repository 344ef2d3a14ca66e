package drover.coordinator.sink;

import drover.coordinator.event.RolloutEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Receiver in memory. It can accept a limited number of events, and reject some. */
public final class InMemoryEventSink implements EventSink {
    private final String name;
    private final List<RolloutEvent> taken = new ArrayList<>();
    private int refusals;
    private int willTake = Integer.MAX_VALUE;
    private Predicate<RolloutEvent> rejects = event -> false;

    /** A receiver of this name. */
    public InMemoryEventSink(String name) {
        this.name = name;
    }

    /** Takes only so many more, and then nothing. */
    public synchronized void acceptOnlyNext(int more) {
        willTake = more;
    }

    /** Rejects these events from now on. */
    public synchronized void rejectMatching(Predicate<RolloutEvent> events) {
        rejects = events;
    }

    /** What was taken so far. */
    public synchronized List<RolloutEvent> deliveredEvents() {
        return List.copyOf(taken);
    }

    /** How often it did not take all. */
    public synchronized int incompleteDeliveryCount() {
        return refusals;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String kind() {
        return "memory";
    }

    @Override
    public synchronized DeliveryResult deliver(List<RolloutEvent> events) {
        int takes = Math.min(willTake, events.size());
        List<RejectedEvent> rejected = new ArrayList<>();
        for (RolloutEvent event : events.subList(0, takes)) {
            if (rejects.test(event)) {
                rejected.add(new RejectedEvent(event, "It rejects this event."));
            } else {
                taken.add(event);
            }
        }
        willTake -= takes;
        if (takes == events.size()) {
            return new DeliveryResult(takes, rejected, "");
        }
        refusals++;
        return new DeliveryResult(takes, rejected, "It takes nothing now.");
    }

    @Override
    public void close() {
        acceptOnlyNext(0);
    }
}
