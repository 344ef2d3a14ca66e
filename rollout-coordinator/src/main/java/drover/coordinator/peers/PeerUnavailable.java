package drover.coordinator.peers;

/** A neighbour did not answer. Trying again helps. */
public final class PeerUnavailable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Peer peer;

    /** Whom the coordinator asks while an operator waits for the answer. */
    public enum Peer {
        /** Any node-gateway. */
        GATEWAY,
        /** The manifest-service. */
        MANIFESTS
    }

    /** Adds which neighbour and for what. */
    public PeerUnavailable(Peer peer, String what, Throwable cause) {
        super(what, cause);
        this.peer = peer;
    }

    /** Which neighbour did not answer. */
    public Peer peer() {
        return peer;
    }
}
