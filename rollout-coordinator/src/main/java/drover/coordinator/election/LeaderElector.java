package drover.coordinator.election;

/**
 * Proposes who leads (seed 004). A proposal is no permission: the fence in PostgreSQL decides who
 * may write.
 */
public interface LeaderElector extends AutoCloseable {
    /** Begins to campaign; the listener is told of every gain and loss, one after the other. */
    void campaign(String candidate, Listener listener);

    /**
     * Whether this candidate is elected, as far as can be told without asking anybody; false when
     * in doubt.
     */
    boolean isElected();

    /** Gives leadership up and stops campaigning. */
    @Override
    void close();

    /** Told of gains and losses. */
    interface Listener {
        /** This candidate is elected. */
        void elected();

        /** It no longer is. */
        void lost();
    }
}
