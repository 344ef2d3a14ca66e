package drover.model;

/** How an attempt stands. Only the agent says so; no timeout closes an attempt (rule R1). */
public enum AttemptOutcome {
    /** Accepted or under way. */
    IN_PROGRESS,
    /** All actions done; the running program has the target digest. */
    SUCCEEDED,
    /** Failed; the node is back as it was, proved by digests. */
    FAILED,
    /** Failed, and the node could not be brought back. Sticky until an operator clears it. */
    FAILED_ROLLBACK,
    /** Refused before anything was touched. */
    REFUSED,
    /** Withdrawn before it began; it never will. */
    WITHDRAWN,
    /** A restore is done: the node runs what ran before the attempt it undid. */
    RESTORED;

    /** Whether the attempt is over and closed. */
    public boolean isTerminal() {
        return this != IN_PROGRESS;
    }
}
