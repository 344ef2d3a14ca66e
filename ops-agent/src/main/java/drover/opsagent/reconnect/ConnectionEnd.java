package drover.opsagent.reconnect;

import java.time.Duration;

/** How a dial or the session it opened ended, as far as the next one depends on it. */
public sealed interface ConnectionEnd {
    /**
     * A session that was welcomed is over, and so may be those of a whole fleet.
     *
     * @param retryAfter for how long the gateway asks not to be dialled; zero when it does not say
     */
    record Disconnected(Duration retryAfter) implements ConnectionEnd {}

    /**
     * No welcome came: nobody is there, or nobody who can serve now.
     *
     * @param retryAfter as in {@link Disconnected}
     */
    record Unavailable(Duration retryAfter) implements ConnectionEnd {}

    /**
     * No welcome came to what was shown for want of anything better: very likely none will.
     *
     * @param retryAfter for how long somebody who was asked meanwhile asks not to be
     */
    record ExpiredCertificateFailed(Duration retryAfter) implements ConnectionEnd {}

    /**
     * The gateway does not take this agent, and dialling sooner would not help.
     *
     * @param retryAfter as in {@link Disconnected}
     */
    record Refused(Duration retryAfter) implements ConnectionEnd {}

    /**
     * The gateway asked to dial another one, because it is about to end.
     *
     * @param within a random time up to this
     */
    record ReconnectElsewhereRequested(Duration within) implements ConnectionEnd {}
}
