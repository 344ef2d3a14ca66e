package drover.coordinator.sink;

import drover.coordinator.announce.Announcement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Receiver in memory. It can accept a limited number of events, and reject some. */
public final class RememberedEvents implements EventSink {
    private final String name;
    private final List<Announcement> taken = new ArrayList<>();
    private int refusals;
    private int willTake = Integer.MAX_VALUE;
    private Predicate<Announcement> rejects = event -> false;

    /** A receiver of this name. */
    public RememberedEvents(String name) {
        this.name = name;
    }

    /** Takes only so many more, and then nothing. */
    public synchronized void takeOnly(int more) {
        willTake = more;
    }

    /** Rejects these events from now on. */
    public synchronized void rejectOnly(Predicate<Announcement> events) {
        rejects = events;
    }

    /** What was taken so far. */
    public synchronized List<Announcement> taken() {
        return List.copyOf(taken);
    }

    /** How often it did not take all. */
    public synchronized int refusals() {
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
    public synchronized Delivery deliver(List<Announcement> events) {
        int takes = Math.min(willTake, events.size());
        List<Rejected> rejected = new ArrayList<>();
        for (Announcement event : events.subList(0, takes)) {
            if (rejects.test(event)) {
                rejected.add(new Rejected(event, "It rejects this event."));
            } else {
                taken.add(event);
            }
        }
        willTake -= takes;
        if (takes == events.size()) {
            return new Delivery(takes, rejected, "");
        }
        refusals++;
        return new Delivery(takes, rejected, "It takes nothing now.");
    }

    @Override
    public void close() {
        takeOnly(0);
    }
}
