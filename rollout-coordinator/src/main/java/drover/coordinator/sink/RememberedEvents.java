package drover.coordinator.sink;

import drover.coordinator.announce.Announcement;
import java.util.ArrayList;
import java.util.List;

/** A receiver in memory, which can be told to take nothing, or only so many. */
public final class RememberedEvents implements EventSink {
    private final String name;
    private final List<Announcement> taken = new ArrayList<>();
    private int refusals;
    private int willTake = Integer.MAX_VALUE;

    /** A receiver of this name. */
    public RememberedEvents(String name) {
        this.name = name;
    }

    /** Takes only so many more, and then nothing. */
    public synchronized void takeOnly(int more) {
        willTake = more;
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
        taken.addAll(events.subList(0, takes));
        willTake -= takes;
        if (takes == events.size()) {
            return Delivery.all(events);
        }
        refusals++;
        return new Delivery(takes, "It takes nothing now.");
    }

    @Override
    public void close() {
        takeOnly(0);
    }
}
