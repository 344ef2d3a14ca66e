package drover.opsagent.disk;

/** The disk did not do what it was asked. */
public final class DiskFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final boolean full;

    /**
     * Names what was attempted.
     *
     * @param full whether there was no room
     */
    public DiskFailure(String what, boolean full, Throwable cause) {
        super(what, cause);
        this.full = full;
    }

    /** Whether there was no room. */
    public boolean isFull() {
        return full;
    }
}
