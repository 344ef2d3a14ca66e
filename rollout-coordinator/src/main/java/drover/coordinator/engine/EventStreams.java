package drover.coordinator.engine;

import drover.coordinator.announce.Announcement;
import drover.coordinator.announce.Announcements;
import drover.coordinator.announce.Happened;
import drover.coordinator.store.EventViews;
import drover.coordinator.store.EventViews.Only;
import drover.coordinator.store.StoreUnavailable;
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
    private static final int MOST = 100;

    private static final int PAGE = 200; // some 100 KiB

    private static final Duration ROUND = Duration.ofMillis(500); // people look at it

    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(15); // proxies wait for 30 s

    /** A revoked key ends what it opened: within 5 s, keys being read anew every 2 s. */
    private static final Duration ADMISSION = Duration.ofSeconds(2);

    /** Nothing lasts for ever, a stream neither; whoever listens comes back where it was. */
    private static final Duration LONGEST = Duration.ofHours(1);

    private final EventViews views;
    private final LongSupplier nanos;
    private final Semaphore free = new Semaphore(MOST);
    private volatile boolean closed;
    private long newest;
    private long newestAt;

    /** Who listens. */
    public interface Listener {
        /** Waits until it can take something; false when it has gone. */
        boolean ready(Duration atMost) throws InterruptedException;

        /** Whether it has gone. */
        boolean gone();

        /** Whether it may still listen. */
        boolean mayListen();

        /** One event. */
        void take(Announcement announcement);

        /** A sign of life. */
        void alive();

        /** The stream has ended; it may come back. */
        void end();
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
    public long place(String lastEventId, boolean fromStart) {
        if (lastEventId.isEmpty()) {
            return fromStart ? 0 : views.newest();
        }
        if (!lastEventId.matches("[0-9]{1,18}-[0-9a-f]{12}")) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD,
                    "The last event id is not one that Drover gave; leave it out.",
                    "last_event_id");
        }
        long seq = Long.parseLong(lastEventId.substring(0, lastEventId.indexOf('-')));
        boolean known =
                views.hashOf(seq)
                        .map(hash -> Announcement.id(seq, hash).equals(lastEventId))
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
    public void begin(long place, Only only, Listener listener) {
        if (!free.tryAcquire()) {
            throw new Refused(
                    RefusalCode.OVERLOADED,
                    MOST + " streams of events are open already; try again later.");
        }
        Thread.ofVirtual().name("events").start(() -> run(place, only, listener));
    }

    private void run(long place, Only only, Listener listener) {
        try {
            listener.alive();
            stream(place, only, listener);
            if (!listener.gone()) {
                listener.end();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            if (!listener.gone()) {
                LOG.error("A stream of events ended by a bug", e);
                listener.end();
            }
        } finally {
            free.release();
        }
    }

    private void stream(long from, Only only, Listener listener) throws InterruptedException {
        long place = from;
        long until = nanos.getAsLong() + LONGEST.toNanos();
        long quiet = nanos.getAsLong();
        long admitted = quiet;
        Nudge pause = new Nudge();
        while (!closed && !listener.gone() && nanos.getAsLong() - until < 0) {
            if (nanos.getAsLong() - admitted >= ADMISSION.toNanos()) {
                if (!listener.mayListen()) {
                    return;
                }
                admitted = nanos.getAsLong();
            }
            Page page = page(place, only);
            for (Announcement announcement : Announcements.of(page.rows())) {
                if (!waitFor(listener)) {
                    return;
                }
                listener.take(announcement);
                quiet = nanos.getAsLong();
            }
            place = page.through();
            if (page.rows().isEmpty()) {
                if (nanos.getAsLong() - quiet >= SIGN_OF_LIFE.toNanos() && waitFor(listener)) {
                    listener.alive();
                    quiet = nanos.getAsLong();
                }
                pause.rest(ROUND);
            }
        }
    }

    /** A listener that is slow holds up nobody: it has its own thread and its own place. */
    private boolean waitFor(Listener listener) throws InterruptedException {
        while (!closed && !listener.gone()) {
            if (listener.ready(SIGN_OF_LIFE)) {
                return true;
            }
        }
        return false;
    }

    /** Rows, and the place up to which there are no others of this kind. */
    private record Page(List<Happened> rows, long through) {}

    /** Nothing while nothing is new, or the database is away: the place does not move. */
    private Page page(long place, Only only) {
        try {
            long head = newest(); // first: whatever stands below it can be seen by now
            if (head <= place) {
                return new Page(List.of(), place);
            }
            List<Happened> rows = views.after(place, only, PAGE);
            boolean whole = rows.size() < PAGE;
            long last = rows.isEmpty() ? place : rows.getLast().seq();
            return new Page(rows, whole ? Math.max(head, last) : last);
        } catch (StoreUnavailable e) {
            LOG.debug("Events wait for the database reason={}", e.getMessage());
            return new Page(List.of(), place);
        }
    }

    /** One look for all streams, as long as nothing happens. */
    private synchronized long newest() {
        if (nanos.getAsLong() - newestAt >= ROUND.toNanos()) {
            newest = views.newest();
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
