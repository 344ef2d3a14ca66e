package drover.coordinator.election;

/**
 * Proposes who leads (seed 004). A proposal is no permission: the fence in PostgreSQL decides who
 * may write.
 */
public interface LeaderElector extends AutoCloseable {
    /**
     * Begins to campaign; the listener is told of every gain and loss, one after the other. Called
     * once.
     *
     * @param candidate name of this replica, unique among those that campaign
     */
    void campaign(String candidate, Listener listener);

    /**
     * Whether this candidate is elected, as far as can be told without asking anybody; false when
     * in doubt, and before its listener is told of a loss.
     */
    boolean isElected();

    /** Gives leadership up and stops campaigning. Tells nobody: who closes it knows. */
    @Override
    void close();

    /** Told of gains and losses. */
    interface Listener {
        /** This candidate is elected. */
        void onElected();

        /** It no longer is. It may be elected again as soon as this returns. */
        void onLost();
    }
}
