package drover.coordinator.store;

import java.util.function.Function;
import org.jdbi.v3.core.Handle;

/**
 * PostgreSQL decides who may write (DESIGN § 7). Writers share an advisory lock and then, as a
 * second statement, look for their epoch; a new leader takes the lock alone, bumps the epoch, and
 * only then loads. A plain check would let stale commits through, and row locks would starve the
 * new leader.
 */
final class Fence {
    private static final long LOCK = 0x44524F56_45520001L; // "DROVER", and a number for this lock

    private final Database database;

    Fence(Database database) {
        this.database = database;
    }

    /** Waits for the writers of the old epoch and bumps it. */
    long takeOver(String holder) {
        return database.write(
                "taking over leadership",
                handle -> {
                    handle.execute("SELECT pg_advisory_xact_lock(?)", LOCK);
                    return handle.createQuery(
                                    "UPDATE leader_epoch SET epoch = epoch + 1, holder = :holder,"
                                            + " taken_at = now() RETURNING epoch")
                            .bind("holder", holder)
                            .mapTo(Long.class)
                            .one();
                });
    }

    boolean holds(long epoch) {
        return database.read("checking the epoch", handle -> isCurrent(handle, epoch));
    }

    /** Runs writes under the fence, or none of them when another leader has taken over. */
    <T> T write(String doing, long epoch, T stale, Function<Handle, T> work) {
        return database.write(
                doing,
                handle -> {
                    handle.execute("SELECT pg_advisory_xact_lock_shared(?)", LOCK);
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
