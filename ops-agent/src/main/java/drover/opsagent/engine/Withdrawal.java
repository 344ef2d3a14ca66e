package drover.opsagent.engine;

/**
 * Attempts that shall not begin any more, as it was read at the door.
 *
 * @param throughAttempt highest of them
 * @param epoch of the leader that asks
 * @param authorization what the leader signed over it, not verified; empty for nothing
 */
@SuppressWarnings("ArrayRecordComponent") // passed on as it is, never compared
public record Withdrawal(long throughAttempt, long epoch, byte[] authorization) {
    /** Of which nobody signed anything. */
    public Withdrawal(long through, long epoch) {
        this(through, epoch, new byte[0]);
    }
}
