package drover.coordinator.election;

/** A store that is reached or is not, for tests and simulations. */
public final class InMemoryStoreReach implements StoreReach {
    private volatile boolean away;

    /** From now on it does not answer, or does again. */
    public void away(boolean now) {
        away = now;
    }

    @Override
    public boolean answers() {
        return !away;
    }

    @Override
    public void close() {}
}
