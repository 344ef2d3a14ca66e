package drover.coordinator.election;

/** A store that is reached or is not, for tests and simulations. */
public final class InMemoryDatabaseProbe implements DatabaseProbe {
    private volatile boolean unavailable;

    /** From now on it does not answer, or does again. */
    public void setUnavailable(boolean now) {
        unavailable = now;
    }

    @Override
    public boolean checkReachable() {
        return !unavailable;
    }

    @Override
    public void close() {}
}
