package drover.opsagent.dial;

import java.time.Duration;

/** How a dial or the session it opened ended, as far as the next one depends on it. */
public sealed interface DialEnd {
    /**
     * A session that was welcomed is over, and so may be those of a whole fleet.
     *
     * @param atLeast for how long the gateway asks not to be dialled; zero when it does not say
     */
    record Lost(Duration atLeast) implements DialEnd {}

    /**
     * No welcome came: nobody is there, or nobody who can serve now.
     *
     * @param atLeast as in {@link Lost}
     */
    record Unanswered(Duration atLeast) implements DialEnd {}

    /**
     * No welcome came to what was shown for want of anything better: very likely none will.
     *
     * @param atLeast for how long somebody who was asked meanwhile asks not to be
     */
    record LastResort(Duration atLeast) implements DialEnd {}

    /**
     * The gateway does not take this agent, and dialling sooner would not help.
     *
     * @param atLeast as in {@link Lost}
     */
    record Refused(Duration atLeast) implements DialEnd {}

    /**
     * The gateway asked to dial another one, because it is about to end.
     *
     * @param within a random time up to this
     */
    record SentAway(Duration within) implements DialEnd {}
}
