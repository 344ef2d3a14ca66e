package drover.opsagent.fetch;

import drover.opsagent.journal.ReasonCode;
import java.io.IOException;
import java.time.Duration;

/**
 * Server that cannot be reached, sends no byte of the artifact, or refuses a request for a limited
 * time (429, 503).
 */
final class ServerUnavailable extends IOException {
    private static final long serialVersionUID = 1L;
    private final ReasonCode reason;
    private final Duration retryAfter;

    /**
     * States why.
     *
     * @param retryAfter shortest pause that the server requests; zero if it states none
     */
    ServerUnavailable(String why, Duration retryAfter) {
        super(why);
        this.reason = ReasonCode.DOWNLOAD_FAILED;
        this.retryAfter = retryAfter;
    }

    private ServerUnavailable(ReasonCode reason, String why, IOException cause) {
        super(why, cause);
        this.reason = reason;
        this.retryAfter = Duration.ZERO;
    }

    /** No connection, or one that ended before the first byte of the artifact. */
    static ServerUnavailable disconnected(String why, IOException cause) {
        return new ServerUnavailable(ReasonCode.DOWNLOAD_FAILED, why, cause);
    }

    /** A connection on which the first byte of the artifact did not arrive in time. */
    static ServerUnavailable slow(IOException cause) {
        return new ServerUnavailable(
                ReasonCode.DOWNLOAD_TOO_SLOW, "it did not respond in time", cause);
    }

    /** Reason of the failure if the server stays like this until the deadline. */
    ReasonCode reason() {
        return reason;
    }

    Duration retryAfter() {
        return retryAfter;
    }
}
