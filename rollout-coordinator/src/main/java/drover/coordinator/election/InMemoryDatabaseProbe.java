package drover.coordinator.election;

/** A store that is reached or is not, for tests and simulations. */
public final class InMemoryDatabaseProbe implements DatabaseProbe {
    private volatile boolean away;

    /** From now on it does not answer, or does again. */
    public void setUnavailable(boolean now) {
        away = now;
    }

    @Override
    public boolean isReachable() {
        return !away;
    }

    @Override
    public void close() {}
}
