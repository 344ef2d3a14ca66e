package drover.coordinator.event;

/** One event: what happened, under the name that the world knows it by. */
public record RolloutEvent(EventKind kind, EventHistoryEntry entry) {
    private static final int HASH_FROM = "sha256:".length();
    private static final int HASH_LENGTH = 12; // with the place before it, 48 bits are plenty

    /**
     * Its id: the place of the row and the beginning of its hash. A database restored from the past
     * gives places anew, but to rows with other hashes, so that no id is given twice.
     */
    public String id() {
        return id(entry.seq(), entry.hash());
    }

    /** The id of the event that a row of history is. */
    public static String id(long seq, String hash) {
        return seq + "-" + hash.substring(HASH_FROM, HASH_FROM + HASH_LENGTH);
    }

    /** Its place among all events, so that texts sort as numbers do. */
    public String sequence() {
        return "%019d".formatted(entry.seq());
    }

    /** Where it is published (seed 000, NATS Event Subjects). */
    public String subject() {
        return kind.isNodeEvent()
                ? "events.node." + entry.node() + "." + kind.subjectSuffix()
                : "events.rollout." + entry.rolloutFacts().rollout() + "." + kind.subjectSuffix();
    }

    /** What happened, as a type of CloudEvents. */
    public String type() {
        return (kind.isNodeEvent() ? "drover.node." : "drover.rollout.") + kind.subjectSuffix();
    }
}
