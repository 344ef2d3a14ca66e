package drover.opsagent.fetch;

import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.journal.Artifact;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.io.FileNotFoundException;
import java.io.IOException;
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
    private final HostAccessByOrigin hosts;
    private final DownloadRateLimit rate;
    private final Ticker ticker;

    /** Fetches what the policy allows, as fast as it goes. */
    public HttpFetcher(DownloadPolicy policy, Ticker ticker) {
        this(policy, HostAccessByOrigin.NONE, DownloadRateLimit.UNLIMITED, ticker);
    }

    /** Fetches what the policy allows, at most so fast, and as the node reaches its hosts. */
    public HttpFetcher(
            DownloadPolicy policy,
            HostAccessByOrigin hosts,
            DownloadRateLimit rate,
            Ticker ticker) {
        hosts.requireProxyHostsListed(policy);
        this.policy = policy;
        this.hosts = hosts;
        this.rate = rate;
        this.ticker = ticker;
    }

    @Override
    public void fetch(
            Artifact artifact, Disk.DiskFileWriter into, Deadline deadline, IntConsumer percent) {
        long limit = artifact.size() > 0 ? artifact.size() : policy.maxBytes();
        PartialDownload received = new PartialDownload(into, limit, artifact.size(), percent);
        DownloadResponseReader body =
                new DownloadResponseReader(policy, rate, ticker, received, deadline);
        FetchFailed last = DownloadFailures.truncated(artifact);
        for (int attempt = 0; attempt < MOST_TRIES; attempt++) {
            try {
                transfer(URI.create(artifact.url()), body);
                if (artifact.size() == 0 || received.receivedBytes() == artifact.size()) {
                    syncAndVerify(artifact, received, into);
                    return;
                }
                last = DownloadFailures.truncated(artifact);
            } catch (SocketTimeoutException e) {
                throw DownloadFailures.slowOrTimedOut(deadline);
            } catch (FileNotFoundException e) {
                throw DownloadFailures.notFound(artifact);
            } catch (IOException e) {
                last =
                        received.receivedBytes() > 0
                                ? DownloadFailures.truncated(artifact)
                                : DownloadFailures.unreachable(artifact, e);
            } catch (IllegalArgumentException e) {
                throw DownloadFailures.noAddress();
            }
            if (deadline.hasPassed()) {
                throw DownloadFailures.slowOrTimedOut(deadline);
            }
            ticker.pause(BETWEEN_TRIES);
        }
        throw last;
    }

    private static void syncAndVerify(
            Artifact artifact, PartialDownload received, Disk.DiskFileWriter into) {
        into.sync();
        Digest digest = received.digest();
        if (!digest.equals(artifact.digest())) {
            throw DownloadFailures.mismatch(artifact, digest);
        }
    }

    private void transfer(URI from, DownloadResponseReader body) throws IOException {
        URI address = from;
        for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
            policy.requireAllowed(address);
            if ("file".equals(address.getScheme())) {
                readFileUrl(address, body);
                return;
            }
            HttpURLConnection http = sendWithTimeout(address, body);
            try {
                String location = http.getHeaderField("Location");
                if (http.getResponseCode() / 100 != 3 || location == null) {
                    TimeLimiter.callWithTimeout(
                            body.deadline(),
                            () -> body.readResponse(http),
                            DownloadFailures::timedOut);
                    return;
                }
                URI next = address.resolve(location);
                policy.requireRedirectAllowed(address, next);
                address = next;
            } finally {
                http.disconnect();
            }
        }
        throw DownloadFailures.endlessRedirects(from);
    }

    private static void readFileUrl(URI address, DownloadResponseReader body) throws IOException {
        URLConnection connection = address.toURL().openConnection();
        TimeLimiter.callWithTimeout(
                body.deadline(), () -> body.readFile(connection), DownloadFailures::timedOut);
    }

    /**
     * Asks one host and waits for the head of its answer, not longer than twice the silence that is
     * borne: connecting, shaking hands and a head that drips are all within it (E4).
     */
    private HttpURLConnection sendWithTimeout(URI address, DownloadResponseReader body)
            throws IOException {
        Deadline until = body.deadline().atMost(policy.window().multipliedBy(2));
        return TimeLimiter.callWithTimeout(
                until,
                () -> send(address, body),
                () -> DownloadFailures.slowOrTimedOut(body.deadline()));
    }

    private HttpURLConnection send(URI address, DownloadResponseReader body) throws IOException {
        HttpURLConnection http = hosts.accessTo(address).openConnection(address);
        boolean taken = false;
        try {
            body.configureRequest(http);
            int status = http.getResponseCode();
            if (status < 0) {
                throw new IOException("no answer in HTTP");
            }
            policy.requireAllowed(address); // its name may have come to mean another host meanwhile
            taken = true;
            return http;
        } finally {
            if (!taken) {
                http.disconnect();
            }
        }
    }
}
