package drover.opsagent.fetch;

import drover.opsagent.journal.Artifact;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URLConnection;
import java.time.Duration;
import java.util.Locale;
import java.util.zip.GZIPInputStream;

/** Reads the bytes of one artifact from the responses of its server. */
final class DownloadResponseReader {
    private static final int MOST_AT_ONCE = 64 * 1024;
    private static final int PEEKED = 512; // buffer for the first bytes; larger reads pass it by
    private final DownloadPolicy policy;
    private final DownloadRateLimit rate;
    private final DownloadRateLimit.PerDownloadThrottle throttle;
    private final Ticker ticker;
    private final DownloadReceiver received;
    private final Deadline deadline;
    private final Artifact artifact;
    private boolean mayDecode = true;
    private boolean decoded;
    private String coding = "";

    DownloadResponseReader(
            Artifact artifact,
            DownloadPolicy policy,
            DownloadRateLimit rate,
            Ticker ticker,
            DownloadReceiver received,
            Deadline deadline) {
        this.artifact = artifact;
        this.policy = policy;
        this.rate = rate;
        this.throttle = rate.startThrottle(ticker);
        this.ticker = ticker;
        this.received = received;
        this.deadline = deadline;
    }

    Artifact artifact() {
        return artifact;
    }

    Deadline deadline() {
        return deadline;
    }

    /** Requests what is missing of the same object, identified by its entity tag. */
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

    /** Reads a whole file. */
    boolean readFile(URLConnection file) throws IOException {
        received.restart("");
        coding = "";
        decoded = false;
        try (InputStream in = file.getInputStream()) {
            return copyBody(in, file.getContentLengthLong());
        }
    }

    /** Reads the body of a response; true, so that a caller can wait for the end. */
    boolean readResponse(HttpURLConnection http) throws IOException {
        int status = http.getResponseCode();
        switch (status) {
            case HttpURLConnection.HTTP_OK -> received.restart(strongEntityTag(http));
            case HttpURLConnection.HTTP_PARTIAL -> requireContinuationOrRestart(http);
            case 416 -> { // the object has become shorter
                received.restart("");
                throw new IOException("status 416");
            }
            default ->
                    throw HttpStatusClassifier.retryableOrThrow(http, status, ticker.wallClock());
        }
        coding = contentCoding(http);
        if (coding.isEmpty()) {
            received.checkAndReportSize(http.getContentLengthLong());
        }
        try (InputStream in = openBody(http, status)) {
            return copyBody(in, decoded ? -1 : http.getContentLengthLong());
        }
    }

    /**
     * The body, without a gzip coding that the server applied though none was requested. Some
     * servers name that coding for files that are stored compressed. The stated size tells them
     * apart, else the digest does (decision 0132).
     */
    private InputStream openBody(HttpURLConnection http, int status) throws IOException {
        InputStream in = awaitFirstByte(http);
        boolean stored = artifact.size() > 0 && http.getContentLengthLong() == artifact.size();
        decoded =
                mayDecode
                        && !stored
                        && status == HttpURLConnection.HTTP_OK
                        && (coding.equals("gzip") || coding.equals("x-gzip"))
                        && startsAsGzip(in);
        if (!decoded) {
            return in;
        }
        received.restart(""); // ranges are of the encoded bytes
        return new GZIPInputStream(in, MOST_AT_ONCE);
    }

    /**
     * Waits for the first byte. Until then a server that restarts, or that reads the file from a
     * slow disk, cannot be told from one that is down.
     */
    private static InputStream awaitFirstByte(HttpURLConnection http) throws ServerUnavailable {
        byte[] first;
        InputStream in;
        try {
            in = new BufferedInputStream(http.getInputStream(), PEEKED);
            first = peek(in, 1);
        } catch (SocketTimeoutException e) {
            throw ServerUnavailable.slow(e);
        } catch (IOException e) {
            throw ServerUnavailable.disconnected(String.valueOf(e.getMessage()), e);
        }
        boolean statesEnd =
                http.getContentLengthLong() == 0
                        || http.getHeaderField("Transfer-Encoding") != null;
        if (first.length == 0 && !statesEnd) {
            throw ServerUnavailable.disconnected(
                    "its response ended before the first byte", new EOFException());
        }
        return in;
    }

    private static byte[] peek(InputStream in, int length) throws IOException {
        in.mark(length);
        byte[] first = in.readNBytes(length);
        in.reset();
        return first;
    }

    private static boolean startsAsGzip(InputStream in) throws IOException {
        byte[] first = peek(in, 2);
        return first.length == 2 && first[0] == 0x1f && first[1] == (byte) 0x8b;
    }

    /** The coding that the server names, if it is other than identity; of printable letters. */
    private static String contentCoding(HttpURLConnection http) {
        String named = http.getHeaderField("Content-Encoding");
        String coding = named == null ? "" : named.strip().toLowerCase(Locale.ROOT);
        if (coding.equals("identity")) {
            return "";
        }
        return coding.isEmpty() || coding.matches("[a-z0-9, *-]{1,40}") ? coding : "(unreadable)";
    }

    /** Coding of the latest response; empty for none. */
    String coding() {
        return coding;
    }

    /** Whether the latest body was decoded; if so, later bodies are taken as they come. */
    boolean disableDecodingIfDecoded() {
        boolean was = decoded;
        mayDecode = mayDecode && !decoded;
        return was;
    }

    /** A part that was not asked for is as much another object as one with another tag (E5). */
    private void requireContinuationOrRestart(HttpURLConnection http) throws IOException {
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

    private boolean copyBody(InputStream in, long announced) throws IOException {
        received.checkAndReportSize(announced);
        byte[] buffer = new byte[rate.maxReadSize(MOST_AT_ONCE)];
        long windowStarted = ticker.nanos();
        long windowBytes = 0;
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            received.append(buffer, n);
            throttle.waitAfter(n);
            windowBytes += n;
            long nanos = ticker.nanos() - windowStarted;
            if (deadline.hasPassed()) {
                throw DownloadFailureFactory.timedOut(artifact);
            }
            if (nanos >= policy.window().toNanos()) {
                long floor = policy.minBytesPerSecond() * nanos / 1_000_000_000L;
                if (windowBytes < floor) {
                    throw DownloadFailureFactory.tooSlow(artifact);
                }
                windowStarted = ticker.nanos();
                windowBytes = 0;
            }
        }
        return true;
    }
}
