package drover.coordinator.store.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * PostgreSQL decides who may write (DESIGN § 7). Writers share an advisory lock and then, as a
 * second statement, look for their epoch; a new leader takes the lock alone, bumps the epoch, and
 * only then loads. A plain check would let stale commits through, and row locks would starve the
 * new leader.
 */
public final class Fence {
    private static final long LOCK = 0x44524F56_45520001L; // "DROVER", and a number for this lock
    private static final String SESSION = "drover-leader/"; // for who looks into the database
    private static final Duration DRAIN_TIMEOUT =
            Duration.ofMillis(1_500); // with what follows, 2 s: writers are through in 0.15 s
    private static final Duration LONGEST =
            Duration.ofSeconds(5); // a statement under the fence; the largest commits take a second
    private static final int TURNS = 3; // the way is clear after one; others may campaign as well
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String ENDED = "57P01"; // the session, by whoever may

    /** Materialized: nobody is ended before it is known to hold the lock. */
    private static final String TERMINATE_HOLDERS =
            """
            WITH holder AS MATERIALIZED (
                SELECT a.pid, a.application_name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
                WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
                  AND a.datname = current_database() AND l.database = a.datid
                  AND (l.classid::bigint << 32) | l.objid::bigint = :lock)
            SELECT application_name FROM holder WHERE pg_terminate_backend(pid)
            """;

    private static final Logger LOG = LoggerFactory.getLogger(Fence.class);

    private final Database database;
    private final Duration drainTimeout;

    public Fence(Database database) {
        this(database, DRAIN_TIMEOUT);
    }

    /** A fence whose new leader waits for so long until it ends the sessions of the old one. */
    Fence(Database database, Duration timeout) {
        this.database = database;
        this.drainTimeout = timeout;
    }

    /**
     * Waits for the writers of the old epoch, but not for ever, and bumps it. Among the sessions
     * that it ends may be one of its own, in which it rehearsed: its turn goes on over another.
     */
    public long takeOver(String holder) {
        for (int turn = 1; turn < TURNS; turn++) {
            try {
                return incrementEpoch(holder);
            } catch (StoreUnavailable e) {
                String state = sqlStateOf(e);
                if (state.equals(LOCK_NOT_AVAILABLE)) {
                    terminateLockHolders();
                } else if (!state.equals(ENDED)) {
                    throw e;
                }
            }
        }
        return incrementEpoch(holder);
    }

    private long incrementEpoch(String holder) {
        return database.write(
                "taking over leadership",
                LONGEST.plus(drainTimeout),
                handle -> {
                    handle.execute(
                            "SELECT set_config('lock_timeout', ?, true)",
                            String.valueOf(drainTimeout.toMillis()));
                    handle.execute("SELECT pg_advisory_xact_lock(?)", LOCK);
                    return handle.createQuery(
                                    "UPDATE leader_epoch SET epoch = epoch + 1, holder = :holder,"
                                            + " taken_at = now() RETURNING epoch")
                            .bind("holder", holder)
                            .mapTo(Long.class)
                            .one();
                });
    }

    private static String sqlStateOf(StoreUnavailable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof SQLException sql ? String.valueOf(sql.getSQLState()) : "";
    }

    /**
     * Ends the sessions that hold the lock. A leader that was stopped within a transaction, or that
     * reads no more of a result, would hold it for as long as it is stopped. What it wrote there is
     * undone; it could not have written more (invariant B7).
     */
    private void terminateLockHolders() {
        List<String> ended =
                database.write(
                        "ending sessions of an earlier leader",
                        handle ->
                                handle.createQuery(TERMINATE_HOLDERS)
                                        .bind("lock", LOCK)
                                        .mapTo(String.class)
                                        .list());
        LOG.warn(
                "Sessions of an earlier leader stood in the way and were ended sessions={}", ended);
    }

    public boolean isCurrentEpoch(long epoch) {
        return database.read("checking the epoch", handle -> isCurrent(handle, epoch));
    }

    /** Runs writes under the fence, or none of them when another leader has taken over. */
    public <T> T write(String doing, long epoch, T stale, Function<Handle, T> work) {
        return database.write(
                doing,
                LONGEST,
                handle -> {
                    handle.execute(
                            "SELECT set_config('application_name', ?, true),"
                                    + " pg_advisory_xact_lock_shared(?)",
                            SESSION + epoch,
                            LOCK);
                    return isCurrent(handle, epoch) ? work.apply(handle) : stale;
                });
    }

    private static boolean isCurrent(Handle handle, long epoch) {
        return handle.createQuery("SELECT 1 FROM leader_epoch WHERE epoch = :epoch")
                .bind("epoch", epoch)
                .mapTo(Integer.class)
                .findOne()
                .isPresent();
    }
}
