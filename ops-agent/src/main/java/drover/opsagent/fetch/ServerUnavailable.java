package drover.opsagent.fetch;

import java.io.IOException;
import java.time.Duration;

/** A server that cannot be reached, or refuses a request for a limited time (429, 503). */
final class ServerUnavailable extends IOException {
    private static final long serialVersionUID = 1L;
    private final Duration retryAfter;

    /**
     * States why.
     *
     * @param retryAfter shortest pause that the server requests; zero if it states none
     */
    ServerUnavailable(String why, Duration retryAfter) {
        super(why);
        this.retryAfter = retryAfter;
    }

    Duration retryAfter() {
        return retryAfter;
    }
}
