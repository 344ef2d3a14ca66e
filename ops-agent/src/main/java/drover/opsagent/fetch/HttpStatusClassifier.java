package drover.opsagent.fetch;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;

/** Sorts status codes without a body of the artifact into those to retry and those to report. */
final class HttpStatusClassifier {
    /** Timeout, too early, too many requests, and gateways whose server restarts. */
    private static final Set<Integer> UNAVAILABLE = Set.of(408, 425, 429, 502, 503, 504);

    private HttpStatusClassifier() {}

    /**
     * The exception to throw for a status.
     *
     * @throws FetchFailed for a status that a further request would receive, too
     */
    static IOException retryableOrThrow(HttpURLConnection http, int status, Instant now) {
        if (UNAVAILABLE.contains(status)) {
            Duration retryAfter = retryAfter(http, now);
            String pause =
                    retryAfter.isZero() ? "" : ", Retry-After " + retryAfter.toSeconds() + " s";
            return new ServerUnavailable("status " + status + pause, retryAfter);
        }
        if (status / 100 == 5) {
            return new IOException("status " + status);
        }
        throw switch (status) {
            case HttpURLConnection.HTTP_NOT_FOUND, HttpURLConnection.HTTP_GONE ->
                    DownloadFailureFactory.notFound(http);
            case HttpURLConnection.HTTP_UNAUTHORIZED,
                    HttpURLConnection.HTTP_FORBIDDEN,
                    HttpURLConnection.HTTP_PROXY_AUTH ->
                    DownloadFailureFactory.unauthorized(http, status);
            default -> DownloadFailureFactory.rejected(http, status);
        };
    }

    /** Seconds, or a date that is compared to the server's own clock if the response states it. */
    private static Duration retryAfter(HttpURLConnection http, Instant now) {
        String text = http.getHeaderField("Retry-After");
        if (text == null) {
            return Duration.ZERO;
        }
        if (text.strip().matches("[0-9]{1,9}")) {
            return Duration.ofSeconds(Long.parseLong(text.strip()));
        }
        long at = http.getHeaderFieldDate("Retry-After", 0);
        long from = http.getDate() == 0 ? now.toEpochMilli() : http.getDate();
        return at == 0 ? Duration.ZERO : Duration.ofMillis(Math.max(0, at - from));
    }
}
