package drover.coordinator.election;

/** Whoever grants leases cannot be asked, or does not answer in time. */
public final class LeaseUnavailable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * What could not be done.
     *
     * @param doing continues the sentence "It failed while ..."
     */
    public LeaseUnavailable(String doing, Throwable cause) {
        super("It failed while " + doing + ": " + cause.getMessage(), cause);
    }
}
