package drover.gateway.session;

/**
 * The one place for a node's latest attempt status: a slot, not a queue (rule R2, invariants C9 to
 * C11).
 *
 * @param sessionId session that brought the status
 * @param acknowledged whether the coordinator has committed it
 */
public record LatestStatus(
        long attempt, long sequence, String sessionId, OpaqueMessage body, boolean acknowledged) {

    /** A status that nobody has acknowledged. */
    public static LatestStatus of(
            long attempt, long sequence, String sessionId, OpaqueMessage body) {
        return new LatestStatus(attempt, sequence, sessionId, body, false);
    }

    /**
     * What the slot holds once {@code arriving} is here: the status of the higher attempt and,
     * within an attempt, of the higher sequence. An equal one changes nothing, so that an
     * acknowledged status that an agent repeats stays acknowledged.
     */
    public LatestStatus pickLater(LatestStatus arriving) {
        return version().compareTo(arriving.version()) < 0 ? arriving : this;
    }

    /** The slot once everything up to this attempt and sequence is committed. */
    public LatestStatus withAcknowledgedThrough(long ackedAttempt, long ackedSequence) {
        boolean committed =
                version().compareTo(new StatusVersion(ackedAttempt, ackedSequence)) <= 0;
        return committed ? new LatestStatus(attempt, sequence, sessionId, body, true) : this;
    }

    /** Which status it is. */
    public StatusVersion version() {
        return new StatusVersion(attempt, sequence);
    }
}
