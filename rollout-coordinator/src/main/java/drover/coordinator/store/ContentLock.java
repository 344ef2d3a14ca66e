package drover.coordinator.store;

import org.jdbi.v3.core.Handle;

/**
 * Advisory lock of the table {@code content}, until the end of the transaction. A creation relies
 * on contents that are stored already, so retention must not delete any of them meanwhile.
 */
final class ContentLock {
    private static final long KEY = 0x44524F56_45520003L; // "DROVER", and a number for it

    private ContentLock() {}

    /** Locks it for a creation; any number of creations hold it at the same time. */
    static void share(Handle handle) {
        handle.execute("SELECT pg_advisory_xact_lock_shared(?)", KEY);
    }

    /** Locks it for a deletion of contents. */
    static void lock(Handle handle) {
        handle.execute("SELECT pg_advisory_xact_lock(?)", KEY);
    }
}
