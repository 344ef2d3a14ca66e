package drover.coordinator.peers;

/** A neighbour did not answer. Trying again helps. */
public final class PeerUnavailable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Adds which neighbour and for what. */
    public PeerUnavailable(String what, Throwable cause) {
        super(what, cause);
    }
}
