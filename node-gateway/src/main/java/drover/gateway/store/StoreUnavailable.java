package drover.gateway.store;

/** The database did not do what was asked: it is away, or refuses. */
public final class StoreUnavailable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** {@code doing} says what was being done, for example "list nodes". */
    public StoreUnavailable(String doing, Throwable cause) {
        super("The gateway's database could not " + doing, cause);
    }
}
