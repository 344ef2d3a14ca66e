package drover.gateway.session;

/**
 * A connected executor.
 *
 * @param hello what the agent said first; its programs are those of {@code inventory}
 */
public record ConnectedExecutor(String sessionId, OpaqueMessage hello, NodeInventory inventory) {
    /** The same session with what is on the node now. */
    public ConnectedExecutor withInventory(NodeInventory current) {
        return current.equals(inventory) ? this : new ConnectedExecutor(sessionId, hello, current);
    }
}
