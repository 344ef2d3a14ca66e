package drover.opsagent.fetch;

import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URLConnection;
import java.time.Duration;

/** Takes the bytes of one artifact, from one answer after another until it is whole. */
final class DownloadResponseReader {
    private static final int MOST_AT_ONCE = 64 * 1024;
    private final DownloadPolicy policy;
    private final DownloadRateLimit rate;
    private final DownloadRateLimit.Throttle throttle;
    private final Ticker ticker;
    private final PartialDownload received;
    private final Deadline deadline;

    DownloadResponseReader(
            DownloadPolicy policy,
            DownloadRateLimit rate,
            Ticker ticker,
            PartialDownload received,
            Deadline deadline) {
        this.policy = policy;
        this.rate = rate;
        this.throttle = rate.startThrottle(ticker);
        this.ticker = ticker;
        this.received = received;
        this.deadline = deadline;
    }

    Deadline deadline() {
        return deadline;
    }

    /**
     * Asks for what is missing of the same object, where its server vouches that it is the same.
     */
    void configureRequest(HttpURLConnection http) {
        Duration timeout =
                policy.window().compareTo(deadline.left()) < 0 ? policy.window() : deadline.left();
        int millis = (int) Math.max(1, timeout.toMillis());
        http.setConnectTimeout(millis);
        http.setReadTimeout(millis);
        http.setUseCaches(false);
        http.setInstanceFollowRedirects(false);
        http.setRequestProperty("Accept-Encoding", "identity");
        if (received.canResume()) {
            http.setRequestProperty("Range", "bytes=" + received.receivedBytes() + "-");
            http.setRequestProperty("If-Range", received.entityTag());
        }
    }

    /** All of a file. */
    boolean readFile(URLConnection file) throws IOException {
        received.restart("");
        return copyBody(file);
    }

    /** What an answer brings; true so that it can be waited for. */
    boolean readResponse(HttpURLConnection http) throws IOException {
        int status = http.getResponseCode();
        switch (status) {
            case HttpURLConnection.HTTP_OK -> received.restart(strongEntityTag(http));
            case HttpURLConnection.HTTP_PARTIAL -> requireContinuation(http);
            case HttpURLConnection.HTTP_NOT_FOUND, HttpURLConnection.HTTP_GONE ->
                    throw DownloadFailures.notFound(http);
            case HttpURLConnection.HTTP_UNAUTHORIZED,
                    HttpURLConnection.HTTP_FORBIDDEN,
                    HttpURLConnection.HTTP_PROXY_AUTH ->
                    throw DownloadFailures.unauthorized(http, status);
            case 416 -> { // the object has become shorter
                received.restart("");
                throw new IOException("status 416");
            }
            default -> throw new IOException("status " + status);
        }
        return copyBody(http);
    }

    /** A part that was not asked for is as much another object as one with another tag (E5). */
    private void requireContinuation(HttpURLConnection http) throws IOException {
        String range = String.valueOf(http.getHeaderField("Content-Range"));
        boolean same = received.canResume() && received.entityTag().equals(strongEntityTag(http));
        if (!same || !range.startsWith("bytes " + received.receivedBytes() + "-")) {
            received.restart("");
            throw new IOException("the server sent another range of another object");
        }
    }

    private static String strongEntityTag(HttpURLConnection http) {
        String tag = http.getHeaderField("ETag");
        return tag == null || tag.startsWith("W/") ? "" : tag;
    }

    private boolean copyBody(URLConnection connection) throws IOException {
        received.requireWithinLimit(connection.getContentLengthLong());
        byte[] buffer = new byte[rate.maxReadSize(MOST_AT_ONCE)];
        long windowStarted = ticker.nanos();
        long windowBytes = 0;
        try (InputStream in = connection.getInputStream()) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                received.append(buffer, n);
                throttle.waitAfter(n);
                windowBytes += n;
                long nanos = ticker.nanos() - windowStarted;
                if (deadline.hasPassed()) {
                    throw DownloadFailures.timedOut();
                }
                if (nanos >= policy.window().toNanos()) {
                    long floor = policy.minBytesPerSecond() * nanos / 1_000_000_000L;
                    if (windowBytes < floor) {
                        throw DownloadFailures.tooSlow();
                    }
                    windowStarted = ticker.nanos();
                    windowBytes = 0;
                }
            }
        }
        return true;
    }
}
