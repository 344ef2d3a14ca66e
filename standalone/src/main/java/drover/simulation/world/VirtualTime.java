package drover.simulation.world;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;

/** Time that jumps from one event to the next. Events of one moment happen in their order. */
public final class VirtualTime {
    /** When every story begins. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static final int MAX_RECENT_LINES = 60; // events shown before a failure

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::order));
    private final Deque<String> recentLines = new ArrayDeque<>();
    private Consumer<String> listener = line -> {};
    private long nowNanos;
    private long order;

    private record Event(long atNanos, long order, Runnable what) {}

    /** Nanoseconds since the beginning. */
    public long nanos() {
        return nowNanos;
    }

    /** The same as an instant. */
    public Instant now() {
        return START.plusNanos(nowNanos);
    }

    /** Lets something happen later. */
    public void scheduleAfter(Duration delay, Runnable what) {
        scheduleAt(nowNanos + Math.max(0, delay.toNanos()), what);
    }

    /** Lets something happen at a moment, or now when it has passed. */
    public void scheduleAt(long atNanos, Runnable what) {
        events.add(new Event(Math.max(nowNanos, atNanos), order++, what));
    }

    /** Lets the next event happen unless it lies beyond; false when none was left. */
    public boolean runNextEventUntil(long untilNanos) {
        Event next = events.peek();
        if (next == null || next.atNanos() > untilNanos) {
            nowNanos = Math.max(nowNanos, untilNanos);
            return false;
        }
        events.remove();
        nowNanos = next.atNanos();
        next.what().run();
        return true;
    }

    /** Remembers a line for whoever has to understand a failure. */
    public void log(String line) {
        if (recentLines.size() == MAX_RECENT_LINES) {
            recentLines.removeFirst();
        }
        String whole = formatNow() + "  " + line;
        recentLines.addLast(whole);
        listener.accept(whole);
    }

    /** Passes every line on, as it is told. */
    public void setLogListener(Consumer<String> to) {
        listener = to;
    }

    /** For example {@code 1:02:03.004}. */
    public String formatNow() {
        Duration since = Duration.ofNanos(nowNanos);
        return String.format(
                "%d:%02d:%02d.%03d",
                since.toHours(),
                since.toMinutesPart(),
                since.toSecondsPart(),
                since.toMillisPart());
    }

    /** The last lines. */
    public List<String> recentLines() {
        return List.copyOf(recentLines);
    }
}
