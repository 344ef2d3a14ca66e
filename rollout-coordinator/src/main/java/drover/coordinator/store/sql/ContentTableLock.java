package drover.coordinator.store.sql;

import org.jdbi.v3.core.Handle;

/**
 * Advisory lock of the table {@code content}, until the end of the transaction. A creation relies
 * on contents that are stored already, so retention must not delete any of them meanwhile.
 */
public final class ContentTableLock {
    private static final long KEY = 0x44524F56_45520003L; // "DROVER", and a number for it

    private ContentTableLock() {}

    /** Locks it for a creation; any number of creations hold it at the same time. */
    public static void lockShared(Handle handle) {
        handle.execute("SELECT pg_advisory_xact_lock_shared(?)", KEY);
    }

    /** Locks it for a deletion of contents. */
    public static void lockExclusive(Handle handle) {
        handle.execute("SELECT pg_advisory_xact_lock(?)", KEY);
    }
}
