package drover.coordinator.engine.export;

import drover.coordinator.engine.loop.WakeupSignal;
import drover.coordinator.event.EventHistoryEntry;
import drover.coordinator.event.EventMapper;
import drover.coordinator.event.RolloutEvent;
import drover.coordinator.store.export.EventViews;
import drover.coordinator.store.export.EventViews.RolloutAndNodeFilter;
import drover.coordinator.store.sql.StoreUnavailable;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events for whoever listens to this replica: read from history beyond the listener's own place, so
 * that it can go on with another replica, or tomorrow.
 */
public final class EventStreams implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventStreams.class);

    /** Enough for a fleet's tools on one replica; each is a virtual thread and a page of events. */
    private static final int MAX_STREAMS = 100;

    private static final int PAGE = 200; // some 100 KiB

    private static final Duration ROUND = Duration.ofMillis(500); // people look at it

    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(15); // proxies wait for 30 s

    /** A revoked key ends what it opened: within 5 s, keys being read anew every 2 s. */
    private static final Duration AUTHORIZATION_CHECK_INTERVAL = Duration.ofSeconds(2);

    /** Nothing lasts for ever, a stream neither; whoever listens comes back where it was. */
    private static final Duration MAX_DURATION = Duration.ofHours(1);

    private final EventViews views;
    private final LongSupplier nanos;
    private final Semaphore free = new Semaphore(MAX_STREAMS);
    private volatile boolean closed;
    private long newest;
    private long newestAt;

    /** Who listens. */
    public interface Listener {
        /** Waits until it can take something; false when it has gone. */
        boolean awaitReady(Duration atMost) throws InterruptedException;

        /** Whether it has gone. */
        boolean isClosed();

        /** Whether it may still listen. */
        boolean isAuthorized();

        /** One event. */
        void send(RolloutEvent announcement);

        /** A sign of life. */
        void sendKeepAlive();

        /** The stream has ended; it may come back. */
        void onEnd();
    }

    /** Streams over the history, with a monotonic clock. */
    public EventStreams(EventViews views, LongSupplier nanos) {
        this.views = views;
        this.nanos = nanos;
        this.newestAt = nanos.getAsLong() - ROUND.toNanos();
    }

    /**
     * Where a stream begins.
     *
     * @param lastEventId id of the last event seen; empty for none
     * @param fromStart without a last event: whether to begin with the oldest
     */
    public long resolvePosition(String lastEventId, boolean fromStart) {
        if (lastEventId.isEmpty()) {
            return fromStart ? 0 : views.newestSequence();
        }
        if (!lastEventId.matches("[0-9]{1,18}-[0-9a-f]{12}")) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "The last event id is not one that Drover gave; leave it out.",
                    "last_event_id");
        }
        long seq = Long.parseLong(lastEventId.substring(0, lastEventId.indexOf('-')));
        boolean known =
                views.findHash(seq)
                        .map(hash -> RolloutEvent.id(seq, hash).equals(lastEventId))
                        .orElse(false);
        if (!known) {
            throw new Refused(
                    RefusalCode.EVENT_UNKNOWN,
                    "The last event is not in this history: the database was restored, or its"
                            + " oldest rows are gone. Start without it.",
                    "last_event_id");
        }
        return seq;
    }

    /** Begins to stream, beside the caller; refused when too many do. */
    public void start(long place, RolloutAndNodeFilter only, Listener listener) {
        if (!free.tryAcquire()) {
            throw new Refused(
                    RefusalCode.OVERLOADED,
                    MAX_STREAMS + " streams of events are open already; try again later.");
        }
        Thread.ofVirtual().name("events").start(() -> run(place, only, listener));
    }

    private void run(long place, RolloutAndNodeFilter only, Listener listener) {
        try {
            listener.sendKeepAlive();
            sendEvents(place, only, listener);
            if (!listener.isClosed()) {
                listener.onEnd();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            if (!listener.isClosed()) {
                LOG.error("A stream of events ended by a bug", e);
                listener.onEnd();
            }
        } finally {
            free.release();
        }
    }

    private void sendEvents(long from, RolloutAndNodeFilter only, Listener listener)
            throws InterruptedException {
        long place = from;
        long until = nanos.getAsLong() + MAX_DURATION.toNanos();
        long quiet = nanos.getAsLong();
        long admitted = quiet;
        WakeupSignal pause = new WakeupSignal();
        while (!closed && !listener.isClosed() && nanos.getAsLong() - until < 0) {
            if (nanos.getAsLong() - admitted >= AUTHORIZATION_CHECK_INTERVAL.toNanos()) {
                if (!listener.isAuthorized()) {
                    return;
                }
                admitted = nanos.getAsLong();
            }
            Page page = readPage(place, only);
            for (RolloutEvent announcement : EventMapper.of(page.rows())) {
                if (!awaitReady(listener)) {
                    return;
                }
                listener.send(announcement);
                quiet = nanos.getAsLong();
            }
            place = page.through();
            if (page.rows().isEmpty()) {
                if (nanos.getAsLong() - quiet >= SIGN_OF_LIFE.toNanos() && awaitReady(listener)) {
                    listener.sendKeepAlive();
                    quiet = nanos.getAsLong();
                }
                pause.sleep(ROUND);
            }
        }
    }

    /** A listener that is slow holds up nobody: it has its own thread and its own place. */
    private boolean awaitReady(Listener listener) throws InterruptedException {
        while (!closed && !listener.isClosed()) {
            if (listener.awaitReady(SIGN_OF_LIFE)) {
                return true;
            }
        }
        return false;
    }

    /** Rows, and the place up to which there are no others of this kind. */
    private record Page(List<EventHistoryEntry> rows, long through) {}

    /** Nothing while nothing is new, or the database is away: the place does not move. */
    private Page readPage(long place, RolloutAndNodeFilter only) {
        try {
            long head =
                    cachedNewestSequence(); // first: whatever stands below it can be seen by now
            if (head <= place) {
                return new Page(List.of(), place);
            }
            List<EventHistoryEntry> rows = views.findAfter(place, only, PAGE);
            boolean whole = rows.size() < PAGE;
            long last = rows.isEmpty() ? place : rows.getLast().seq();
            return new Page(rows, whole ? Math.max(head, last) : last);
        } catch (StoreUnavailable e) {
            LOG.debug("Events wait for the database reason={}", e.getMessage());
            return new Page(List.of(), place);
        }
    }

    /** One look for all streams, as long as nothing happens. */
    private synchronized long cachedNewestSequence() {
        if (nanos.getAsLong() - newestAt >= ROUND.toNanos()) {
            newest = views.newestSequence();
            newestAt = nanos.getAsLong();
        }
        return newest;
    }

    /** Ends every stream. */
    @Override
    public void close() {
        closed = true;
    }
}
