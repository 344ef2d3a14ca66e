package drover.coordinator.engine.export;

import drover.coordinator.engine.loop.LoopMeter;
import drover.coordinator.engine.loop.WakeupSignal;
import drover.coordinator.event.EventHistoryEntry;
import drover.coordinator.event.EventMapper;
import drover.coordinator.event.RolloutEvent;
import drover.coordinator.sink.EventSink;
import drover.coordinator.sink.EventSink.DeliveryResult;
import drover.coordinator.sink.EventSink.RejectedEvent;
import drover.coordinator.store.export.EventDeliveryStore;
import drover.coordinator.store.export.EventViews;
import drover.coordinator.store.export.EventViews.RolloutAndNodeFilter;
import drover.coordinator.store.query.AttentionCountViews;
import drover.coordinator.store.sql.StoreUnavailable;
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
public final class EventSinkLoop {
    private static final Logger LOG = LoggerFactory.getLogger(EventSinkLoop.class);

    /** Rows in one go: what may come twice after a crash, and one write of the mark. */
    static final int PAGE = 100;

    /** Dead letters sent again after a full page, so that a backlog of events is not delayed. */
    static final int RETRIES_PER_FULL_PAGE = 10;

    private static final Duration ROUND = Duration.ofSeconds(1); // soon enough to be told

    /** A receiver that is away is asked again after this, then after twice as long. */
    private static final Duration INITIAL_BACKOFF = Duration.ofSeconds(1);

    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1); // a person may wait for it

    private final long epoch;
    private final Dependencies ends;
    private final EventSink sink;
    private final LoopMeter meter;
    private final Supplier<Instant> clock;
    private final WakeupSignal wakeup = new WakeupSignal();
    private final Thread thread;
    private volatile boolean ended;
    private long place = -1; // not looked up yet
    private String problem = "";

    /**
     * Where events come from and where they go.
     *
     * @param attention counts of what waits for operators
     */
    public record Dependencies(
            EventViews views,
            EventDeliveryStore marks,
            List<EventSink> sinks,
            AttentionCountViews attention) {
        /** Without counts. */
        public Dependencies(EventViews views, EventDeliveryStore marks, List<EventSink> sinks) {
            this(views, marks, sinks, AttentionCountViews.none());
        }

        public Dependencies {
            sinks = List.copyOf(sinks);
        }

        /** Nobody is told. */
        public static Dependencies disabled() {
            return new Dependencies(EventViews.empty(), EventDeliveryStore.none(), List.of());
        }
    }

    /** How a round went. */
    enum RoundResult {
        /** All there is was taken. */
        DONE,
        /** There may be more. */
        MORE,
        /** Something was not taken, and is kept. */
        RETRY,
        /** Another leader has taken over. */
        STALE
    }

    /**
     * @param clock the database's time
     */
    public EventSinkLoop(
            long epoch,
            Dependencies ends,
            EventSink sink,
            LoopMeter meter,
            Supplier<Instant> clock) {
        this.meter = meter;
        this.clock = clock;
        this.epoch = epoch;
        this.ends = ends;
        this.sink = sink;
        this.thread =
                Thread.ofVirtual().name("events-" + sink.name() + "-" + epoch).unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    public void stop() {
        ended = true;
        thread.interrupt();
        meter.recordUndeliveredAge(sink.name(), Duration.ZERO); // the next leader tells
    }

    private void run() {
        Duration pause = INITIAL_BACKOFF;
        try {
            while (!ended) {
                switch (runGuardedRound()) {
                    case STALE -> {
                        return; // the term finds out by itself
                    }
                    case MORE -> pause = INITIAL_BACKOFF;
                    case DONE -> {
                        pause = INITIAL_BACKOFF;
                        wakeup.await(ROUND);
                    }
                    case RETRY -> {
                        wakeup.await(pause);
                        Duration longer = pause.multipliedBy(2);
                        pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the term has ended
        }
    }

    private RoundResult runGuardedRound() throws InterruptedException {
        try {
            return runRound();
        } catch (StoreUnavailable e) {
            LOG.debug(
                    "Events are kept reason={}", e.getMessage()); // the term tells of the database
        } catch (RuntimeException e) {
            if (!ended) {
                LOG.error("Events could not be told by a bug sink={}", sink.name(), e);
            }
        }
        return RoundResult.RETRY;
    }

    /** One page. */
    RoundResult runRound() throws InterruptedException {
        if (place < 0 && !registerSinkUnlessStale()) {
            return RoundResult.STALE;
        }
        List<EventHistoryEntry> rows =
                ends.views().findAfter(place, RolloutAndNodeFilter.ALL, PAGE);
        if (rows.isEmpty()) {
            meter.recordUndeliveredAge(sink.name(), Duration.ZERO);
            return retryDeadLetters(PAGE);
        }
        List<RolloutEvent> events = EventMapper.of(rows);
        DeliveryResult delivery =
                events.isEmpty() ? DeliveryResult.allAccepted(events) : sink.deliver(events);
        boolean whole = delivery.delivered() == events.size();
        long through =
                whole ? rows.getLast().seq() : lastDeliveredSequence(events, delivery.delivered());
        if (through > place
                && !ends.marks().writeDelivered(epoch, sink.name(), through, delivery.rejected())) {
            return RoundResult.STALE;
        }
        place = through;
        recordRejections(delivery.rejected());
        if (!ended) {
            meter.recordUndeliveredAge(sink.name(), undeliveredAge(rows));
        }
        if (!recordOutcomeUnlessStale(delivery)) {
            return RoundResult.STALE;
        }
        return whole ? retryAfterPage(rows.size() == PAGE) : RoundResult.RETRY;
    }

    /** Dead letters are sent again after each page: events may arrive in every round. */
    private RoundResult retryAfterPage(boolean fullPage) throws InterruptedException {
        RoundResult retried = retryDeadLetters(fullPage ? RETRIES_PER_FULL_PAGE : PAGE);
        return fullPage && retried == RoundResult.DONE ? RoundResult.MORE : retried;
    }

    private void recordRejections(List<RejectedEvent> rejected) {
        for (RejectedEvent one : rejected) {
            meter.recordDeadLetter(sink.name());
            LOG.warn(
                    "The receiver rejected an event; it is a dead letter now sink={} eventId={}"
                            + " reason={}",
                    sink.name(),
                    one.event().id(),
                    one.problem());
        }
    }

    /** Sends dead letters again, as an operator requested; new events come first. */
    private RoundResult retryDeadLetters(int limit) throws InterruptedException {
        for (EventHistoryEntry row : ends.marks().findRequestedRetries(sink.name(), limit)) {
            List<RolloutEvent> event = EventMapper.of(List.of(row));
            DeliveryResult delivery = sink.deliver(event);
            if (!delivery.problem().isEmpty()) {
                return recordOutcomeUnlessStale(delivery) ? RoundResult.RETRY : RoundResult.STALE;
            }
            recordRejections(delivery.rejected());
            String problem =
                    delivery.rejected().isEmpty() ? "" : delivery.rejected().getFirst().problem();
            if (!ends.marks().writeRetryResult(epoch, sink.name(), row.seq(), problem)) {
                return RoundResult.STALE;
            }
        }
        return RoundResult.DONE;
    }

    /** Of what follows a whole page nothing is known yet, but that it is younger than its last. */
    private Duration undeliveredAge(List<EventHistoryEntry> rows) {
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

    private long lastDeliveredSequence(List<RolloutEvent> events, int taken) {
        return taken == 0 ? place : events.get(taken - 1).entry().seq();
    }

    private boolean registerSinkUnlessStale() {
        OptionalLong found = ends.marks().registerSinkAndReadMark(epoch, sink.name(), sink.kind());
        place = found.orElse(-1);
        return found.isPresent();
    }

    /** Says it where people look, once when it begins and once when it is over. */
    private boolean recordOutcomeUnlessStale(DeliveryResult delivery) {
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
        return !changed
                || problem.isEmpty()
                || ends.marks().writeSinkFailure(epoch, sink.name(), problem);
    }
}
