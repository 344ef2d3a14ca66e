package drover.coordinator.engine;

import drover.coordinator.announce.Announcement;
import drover.coordinator.announce.Announcements;
import drover.coordinator.announce.Happened;
import drover.coordinator.sink.EventSink;
import drover.coordinator.sink.EventSink.Delivery;
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
 * The leader's loop that tells one receiver what happened: read beyond its mark, hand over, and
 * only then move the mark (invariant G4). Each receiver has a loop of its own, so that none waits
 * for another; and whatever happens to it, rollouts go on.
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

    /** Where events come from and where they go. */
    public record Ends(EventViews views, EventSinkStore marks, List<EventSink> sinks) {
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
            return Round.DONE;
        }
        List<Announcement> events = Announcements.of(rows);
        Delivery delivery = events.isEmpty() ? Delivery.all(events) : sink.deliver(events);
        boolean whole = delivery.taken() == events.size();
        long through = whole ? rows.getLast().seq() : lastTaken(events, delivery.taken());
        if (through > place && !ends.marks().taken(epoch, sink.name(), through)) {
            return Round.STALE;
        }
        place = through;
        if (!ended) {
            meter.untold(sink.name(), untold(rows));
        }
        return tell(delivery) ? outcome(whole, rows) : Round.STALE;
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
