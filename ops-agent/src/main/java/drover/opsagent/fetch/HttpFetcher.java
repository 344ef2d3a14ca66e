package drover.opsagent.fetch;

import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.script.Artifact;
import drover.opsagent.script.ReasonCode;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLConnection;
import java.time.Duration;
import java.util.function.IntConsumer;

/**
 * Gets artifacts over http, https and from files. A broken transfer is resumed where it broke, if
 * the server vouches by its entity tag that it is still the same object; else it begins anew, so
 * that bytes of two objects are never mixed (E5). The digest of all that came decides.
 */
public final class HttpFetcher implements Fetcher {
    private static final int MOST_TRIES = 5; // a link that breaks more often is reported instead
    private static final int MOST_REDIRECTS = 5;
    private static final Duration BETWEEN_TRIES = Duration.ofMillis(500);
    private final DownloadPolicy policy;
    private final Ticker ticker;

    /** Fetches what the policy allows. */
    public HttpFetcher(DownloadPolicy policy, Ticker ticker) {
        this.policy = policy;
        this.ticker = ticker;
    }

    @Override
    public void fetch(
            Artifact artifact, Disk.DiskFile into, Deadline deadline, IntConsumer percent) {
        long limit = artifact.size() > 0 ? artifact.size() : policy.mostBytes();
        Received received = new Received(into, limit, artifact.size(), percent);
        FetchFailed last = truncated(artifact);
        for (int attempt = 0; attempt < MOST_TRIES; attempt++) {
            try {
                transfer(URI.create(artifact.url()), received, deadline);
                if (artifact.size() == 0 || received.bytes() == artifact.size()) {
                    finish(artifact, received, into);
                    return;
                }
                last = truncated(artifact);
            } catch (SocketTimeoutException e) {
                throw deadline.hasPassed() ? timedOut() : tooSlow();
            } catch (FileNotFoundException e) {
                throw notFound(artifact.url());
            } catch (IOException e) {
                last = received.bytes() > 0 ? truncated(artifact) : unreachable(artifact, e);
            } catch (IllegalArgumentException e) {
                throw new FetchFailed(
                        ReasonCode.DOWNLOAD_FAILED, artifact.url() + " is no address: correct it.");
            }
            ticker.pause(BETWEEN_TRIES);
        }
        throw last;
    }

    private static void finish(Artifact artifact, Received received, Disk.DiskFile into) {
        into.sync();
        Digest digest = received.digest();
        if (!digest.equals(artifact.digest())) {
            throw new FetchFailed(
                    ReasonCode.CHECKSUM_MISMATCH,
                    artifact.url()
                            + " is "
                            + digest.brief()
                            + ", not "
                            + artifact.digest().brief()
                            + ": correct the manifest or the file.");
        }
    }

    private void transfer(URI from, Received received, Deadline deadline) throws IOException {
        URI address = from;
        for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
            policy.require(address);
            URLConnection connection = open(address, received, deadline);
            if (!(connection instanceof HttpURLConnection http)) {
                received.beginAnew("");
                copy(connection, received, deadline);
                return;
            }
            try {
                int status = http.getResponseCode();
                policy.require(address); // its name may have come to mean another host meanwhile
                String location = http.getHeaderField("Location");
                if (status / 100 != 3 || location == null) {
                    answered(http, status, received, deadline);
                    return;
                }
                address = address.resolve(location);
            } finally {
                http.disconnect();
            }
        }
        throw new FetchFailed(
                ReasonCode.DOWNLOAD_FAILED, from + " redirects without end: correct the url.");
    }

    private URLConnection open(URI address, Received received, Deadline deadline)
            throws IOException {
        URLConnection connection = address.toURL().openConnection();
        Duration patience =
                policy.window().compareTo(deadline.left()) < 0 ? policy.window() : deadline.left();
        int millis = (int) Math.max(1, patience.toMillis());
        connection.setConnectTimeout(millis);
        connection.setReadTimeout(millis);
        connection.setUseCaches(false);
        if (connection instanceof HttpURLConnection http) {
            http.setInstanceFollowRedirects(false);
            http.setRequestProperty("Accept-Encoding", "identity");
            if (received.canResume()) {
                http.setRequestProperty("Range", "bytes=" + received.bytes() + "-");
                http.setRequestProperty("If-Range", received.entityTag());
            }
        }
        return connection;
    }

    private void answered(HttpURLConnection http, int status, Received received, Deadline deadline)
            throws IOException {
        switch (status) {
            case HttpURLConnection.HTTP_OK -> received.beginAnew(strongTag(http));
            case HttpURLConnection.HTTP_PARTIAL -> requireContinuation(http, received);
            case HttpURLConnection.HTTP_NOT_FOUND, HttpURLConnection.HTTP_GONE ->
                    throw notFound(http.getURL().toString());
            default -> throw new IOException("status " + status);
        }
        copy(http, received, deadline);
    }

    private static void requireContinuation(HttpURLConnection http, Received received)
            throws IOException {
        String range = String.valueOf(http.getHeaderField("Content-Range"));
        boolean same = received.entityTag().equals(strongTag(http));
        if (!same || !range.startsWith("bytes " + received.bytes() + "-")) {
            received.beginAnew("");
            throw new IOException("the server sent another range of another object");
        }
    }

    private static String strongTag(HttpURLConnection http) {
        String tag = http.getHeaderField("ETag");
        return tag == null || tag.startsWith("W/") ? "" : tag;
    }

    private void copy(URLConnection connection, Received received, Deadline deadline)
            throws IOException {
        long announced = connection.getContentLengthLong();
        received.require(announced);
        byte[] buffer = new byte[64 * 1024];
        long windowBegan = ticker.nanos();
        long windowBytes = 0;
        try (InputStream in = connection.getInputStream()) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                received.take(buffer, n);
                windowBytes += n;
                long nanos = ticker.nanos() - windowBegan;
                if (deadline.hasPassed()) {
                    throw timedOut();
                }
                if (nanos >= policy.window().toNanos()) {
                    long floor = policy.floorBytesPerSecond() * nanos / 1_000_000_000L;
                    if (windowBytes < floor) {
                        throw tooSlow();
                    }
                    windowBegan = ticker.nanos();
                    windowBytes = 0;
                }
            }
        }
    }

    private static FetchFailed truncated(Artifact artifact) {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_TRUNCATED,
                artifact.url() + " broke off again and again: look at its server, then retry.");
    }

    private static FetchFailed unreachable(Artifact artifact, IOException e) {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_FAILED,
                artifact.url() + " cannot be had (" + e.getMessage() + "): look at its server.");
    }

    private static FetchFailed notFound(String url) {
        return new FetchFailed(
                ReasonCode.ARTIFACT_NOT_FOUND,
                "Nothing is at " + url + ": correct the manifest's target_url.");
    }

    private static FetchFailed tooSlow() {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_TOO_SLOW,
                "The artifact comes below the floor rate: look at its server, then retry.");
    }

    private static FetchFailed timedOut() {
        return new FetchFailed(
                ReasonCode.ACTION_TIMED_OUT,
                "The artifact did not come in time: look at its server, then retry.");
    }
}
