package drover.coordinator.engine;

import drover.coordinator.announce.Announcement;
import drover.coordinator.announce.Announcements;
import drover.coordinator.announce.Happened;
import drover.coordinator.sink.EventSink;
import drover.coordinator.sink.EventSink.Delivery;
import drover.coordinator.sink.EventSink.Rejected;
import drover.coordinator.store.AttentionViews;
import drover.coordinator.store.EventSinkStore;
import drover.coordinator.store.EventViews;
import drover.coordinator.store.EventViews.Only;
import drover.coordinator.store.StoreUnavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's loop that delivers events to one receiver: read after its mark, deliver, and only
 * then move the mark (invariant G4). Events that the receiver rejects become dead letters in the
 * same transaction. Each receiver has a separate loop, so that none waits for another; rollouts
 * continue in any case.
 */
public final class EventLoop {
    private static final Logger LOG = LoggerFactory.getLogger(EventLoop.class);

    /** Rows in one go: what may come twice after a crash, and one write of the mark. */
    static final int PAGE = 100;

    private static final Duration ROUND = Duration.ofSeconds(1); // soon enough to be told

    /** A receiver that is away is asked again after this, then after twice as long. */
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1); // a person may wait for it

    private final long epoch;
    private final Ends ends;
    private final EventSink sink;
    private final LoopMeter meter;
    private final Supplier<Instant> clock;
    private final Nudge nudge = new Nudge();
    private final Thread thread;
    private volatile boolean ended;
    private long place = -1; // not looked up yet
    private String problem = "";

    /**
     * Where events come from and where they go.
     *
     * @param attention counts of what waits for operators
     */
    public record Ends(
            EventViews views,
            EventSinkStore marks,
            List<EventSink> sinks,
            AttentionViews attention) {
        /** Without counts. */
        public Ends(EventViews views, EventSinkStore marks, List<EventSink> sinks) {
            this(views, marks, sinks, AttentionViews.none());
        }

        public Ends {
            sinks = List.copyOf(sinks);
        }

        /** Nobody is told. */
        public static Ends none() {
            return new Ends(EventViews.empty(), EventSinkStore.none(), List.of());
        }
    }

    /** How a round went. */
    enum Round {
        /** All there is was taken. */
        DONE,
        /** There may be more. */
        MORE,
        /** Something was not taken, and is kept. */
        KEPT,
        /** Another leader has taken over. */
        STALE
    }

    /**
     * @param clock the database's time
     */
    EventLoop(long epoch, Ends ends, EventSink sink, LoopMeter meter, Supplier<Instant> clock) {
        this.meter = meter;
        this.clock = clock;
        this.epoch = epoch;
        this.ends = ends;
        this.sink = sink;
        this.thread =
                Thread.ofVirtual().name("events-" + sink.name() + "-" + epoch).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    void stop() {
        ended = true;
        thread.interrupt();
        meter.untold(sink.name(), Duration.ZERO); // the next leader tells
    }

    private void run() {
        Duration pause = FIRST_PAUSE;
        try {
            while (!ended) {
                switch (guardedRound()) {
                    case STALE -> {
                        return; // the term finds out by itself
                    }
                    case MORE -> pause = FIRST_PAUSE;
                    case DONE -> {
                        pause = FIRST_PAUSE;
                        nudge.await(ROUND);
                    }
                    case KEPT -> {
                        nudge.await(pause);
                        Duration longer = pause.multipliedBy(2);
                        pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the term has ended
        }
    }

    private Round guardedRound() throws InterruptedException {
        try {
            return round();
        } catch (StoreUnavailable e) {
            LOG.debug(
                    "Events are kept reason={}", e.getMessage()); // the term tells of the database
        } catch (RuntimeException e) {
            if (!ended) {
                LOG.error("Events could not be told by a bug sink={}", sink.name(), e);
            }
        }
        return Round.KEPT;
    }

    /** One page. */
    Round round() throws InterruptedException {
        if (place < 0 && !enroll()) {
            return Round.STALE;
        }
        List<Happened> rows = ends.views().after(place, Only.ALL, PAGE);
        if (rows.isEmpty()) {
            meter.untold(sink.name(), Duration.ZERO);
            return redeliver();
        }
        List<Announcement> events = Announcements.of(rows);
        Delivery delivery = events.isEmpty() ? Delivery.all(events) : sink.deliver(events);
        boolean whole = delivery.taken() == events.size();
        long through = whole ? rows.getLast().seq() : lastTaken(events, delivery.taken());
        if (through > place
                && !ends.marks().taken(epoch, sink.name(), through, delivery.rejected())) {
            return Round.STALE;
        }
        place = through;
        report(delivery.rejected());
        if (!ended) {
            meter.untold(sink.name(), untold(rows));
        }
        return tell(delivery) ? outcome(whole, rows) : Round.STALE;
    }

    private void report(List<Rejected> rejected) {
        for (Rejected one : rejected) {
            meter.rejected(sink.name());
            LOG.warn(
                    "The receiver rejected an event; it is a dead letter now sink={} eventId={}"
                            + " reason={}",
                    sink.name(),
                    one.event().id(),
                    one.problem());
        }
    }

    /** Sends dead letters again, as an operator requested; new events come first. */
    private Round redeliver() throws InterruptedException {
        for (Happened row : ends.marks().retries(sink.name(), PAGE)) {
            List<Announcement> event = Announcements.of(List.of(row));
            Delivery delivery = sink.deliver(event);
            if (!delivery.problem().isEmpty()) {
                return tell(delivery) ? Round.KEPT : Round.STALE;
            }
            report(delivery.rejected());
            String problem =
                    delivery.rejected().isEmpty() ? "" : delivery.rejected().getFirst().problem();
            if (!ends.marks().retried(epoch, sink.name(), row.seq(), problem)) {
                return Round.STALE;
            }
        }
        return Round.DONE;
    }

    /** Of what follows a whole page nothing is known yet, but that it is younger than its last. */
    private Duration untold(List<Happened> rows) {
        boolean all = place >= rows.getLast().seq();
        if (all && rows.size() < PAGE) {
            return Duration.ZERO;
        }
        Instant oldest =
                rows.stream()
                        .filter(row -> row.seq() > place)
                        .findFirst()
                        .orElse(rows.getLast())
                        .at();
        Duration age = Duration.between(oldest, clock.get());
        return age.isNegative() ? Duration.ZERO : age;
    }

    private static Round outcome(boolean whole, List<Happened> rows) {
        if (!whole) {
            return Round.KEPT;
        }
        return rows.size() < PAGE ? Round.DONE : Round.MORE;
    }

    private long lastTaken(List<Announcement> events, int taken) {
        return taken == 0 ? place : events.get(taken - 1).happened().seq();
    }

    private boolean enroll() {
        OptionalLong found = ends.marks().enroll(epoch, sink.name(), sink.kind());
        place = found.orElse(-1);
        return found.isPresent();
    }

    /** Says it where people look, once when it begins and once when it is over. */
    private boolean tell(Delivery delivery) {
        boolean changed = !delivery.problem().equals(problem);
        if (changed && delivery.problem().isEmpty()) {
            LOG.info("Events are taken again sink={}", sink.name());
        } else if (problem.isEmpty() && changed) {
            LOG.warn(
                    "Events are not taken; they are kept and told later. Rollouts go on sink={}"
                            + " reason={}",
                    sink.name(),
                    delivery.problem());
        }
        problem = delivery.problem();
        return !changed || problem.isEmpty() || ends.marks().refused(epoch, sink.name(), problem);
    }
}
