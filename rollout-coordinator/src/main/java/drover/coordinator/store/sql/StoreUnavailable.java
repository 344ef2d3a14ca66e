package drover.coordinator.store.sql;

/** The database did not do what was asked. What was committed is known only after reading again. */
public final class StoreUnavailable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Adds what was being done. */
    public StoreUnavailable(String doing, Throwable cause) {
        super("The database failed while " + doing, cause);
    }
}
