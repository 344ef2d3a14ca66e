package drover.gateway.session;

/**
 * A message that the gateway keeps and passes on unread. Only the doors know what is in it; fields
 * that this gateway is too old to know stay in it (invariant C15).
 */
public interface OpaqueMessage {
    /** Its size in bytes when sent. */
    int bytes();
}
