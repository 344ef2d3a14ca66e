package drover.coordinator.plan.model;

import java.time.Instant;

/**
 * How far a node's old agent is in handing over to its successor, within the open attempt (seed
 * 001). The end of the attempt ends it.
 */
public sealed interface Handover {
    /** No agent hands over. */
    record None() implements Handover {}

    /**
     * The successor was started, says the old agent; the successor itself was not heard.
     *
     * @param stalled whether it has taken too long and a person was told
     */
    record Ready(Instant since, boolean stalled) implements Handover {
        /** The successor was heard over a session of its own. */
        public SuccessorSeen markSuccessorSeen(Instant now) {
            return new SuccessorSeen(now, stalled);
        }

        /** It takes too long. */
        public Ready markStalled() {
            return new Ready(since, true);
        }
    }

    /**
     * The successor was heard; the old agent may go, and is asked to for as long as both are there.
     *
     * @param stalled whether it has taken too long and a person was told
     */
    record SuccessorSeen(Instant since, boolean stalled) implements Handover {
        /** It takes too long. */
        public SuccessorSeen markStalled() {
            return new SuccessorSeen(since, true);
        }
    }

    /** Nothing is handed over. */
    static Handover none() {
        return new None();
    }

    /** Whether it has taken too long, so that an incident stands. */
    default boolean isStalled() {
        return switch (this) {
            case None none -> false;
            case Ready ready -> ready.stalled();
            case SuccessorSeen seen -> seen.stalled();
        };
    }
}
