package drover.coordinator.election;

/**
 * The store that a leader writes to, as one candidate reaches it. Used by one thread; whoever
 * cannot reach it does not campaign, for it could do nothing with what it won.
 */
public interface DatabaseProbe extends AutoCloseable {
    /**
     * Asks the store something. It may take long, and ends soon when the thread is interrupted:
     * whoever counts on the answer has a clock of its own.
     *
     * @return whether it answered
     */
    boolean checkReachable();

    /** Gives back what asking took. Never throws. */
    @Override
    void close();

    /** Of a lease that is itself a question to the store: it is lost with the store. */
    static DatabaseProbe alwaysReachable() {
        return new DatabaseProbe() {
            @Override
            public boolean checkReachable() {
                return true;
            }

            @Override
            public void close() {}
        };
    }
}
