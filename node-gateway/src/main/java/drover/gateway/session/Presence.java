package drover.gateway.session;

/**
 * A connected executor.
 *
 * @param greeting what the agent said first; its programs are those of {@code inventory}
 */
public record Presence(String sessionId, Relayed greeting, Inventory inventory) {
    /** The same session with what is on the node now. */
    public Presence with(Inventory current) {
        return current.equals(inventory) ? this : new Presence(sessionId, greeting, current);
    }
}
