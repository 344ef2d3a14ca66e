package drover.coordinator.election;

/**
 * Always elects: the default for a single coordinator (seed 004, StaticLeaderElector). Touches no
 * database.
 */
public final class AlwaysElectedElector implements LeaderElector {
    private volatile boolean elected;

    @Override
    public void campaign(String candidate, Listener listener) {
        elected = true;
        listener.onElected();
    }

    @Override
    public boolean isElected() {
        return elected;
    }

    @Override
    public void close() {
        elected = false;
    }
}
