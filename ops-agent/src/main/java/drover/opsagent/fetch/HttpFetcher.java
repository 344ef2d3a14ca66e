package drover.opsagent.fetch;

import drover.model.Digest;
import drover.opsagent.disk.Disk;
import drover.opsagent.script.Artifact;
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
    private final ArtifactHosts hosts;
    private final DownloadRate rate;
    private final Ticker ticker;

    /** Fetches what the policy allows, as fast as it goes. */
    public HttpFetcher(DownloadPolicy policy, Ticker ticker) {
        this(policy, ArtifactHosts.NONE, DownloadRate.UNLIMITED, ticker);
    }

    /** Fetches what the policy allows, at most so fast, and as the node reaches its hosts. */
    public HttpFetcher(
            DownloadPolicy policy, ArtifactHosts hosts, DownloadRate rate, Ticker ticker) {
        hosts.requireNamed(policy);
        this.policy = policy;
        this.hosts = hosts;
        this.rate = rate;
        this.ticker = ticker;
    }

    @Override
    public void fetch(
            Artifact artifact, Disk.DiskFile into, Deadline deadline, IntConsumer percent) {
        long limit = artifact.size() > 0 ? artifact.size() : policy.mostBytes();
        Received received = new Received(into, limit, artifact.size(), percent);
        Body body = new Body(policy, rate, ticker, received, deadline);
        FetchFailed last = Failures.truncated(artifact);
        for (int attempt = 0; attempt < MOST_TRIES; attempt++) {
            try {
                transfer(URI.create(artifact.url()), body);
                if (artifact.size() == 0 || received.bytes() == artifact.size()) {
                    finish(artifact, received, into);
                    return;
                }
                last = Failures.truncated(artifact);
            } catch (SocketTimeoutException e) {
                throw Failures.late(deadline);
            } catch (FileNotFoundException e) {
                throw Failures.notFound(artifact);
            } catch (IOException e) {
                last =
                        received.bytes() > 0
                                ? Failures.truncated(artifact)
                                : Failures.unreachable(artifact, e);
            } catch (IllegalArgumentException e) {
                throw Failures.noAddress();
            }
            if (deadline.hasPassed()) {
                throw Failures.late(deadline);
            }
            ticker.pause(BETWEEN_TRIES);
        }
        throw last;
    }

    private static void finish(Artifact artifact, Received received, Disk.DiskFile into) {
        into.sync();
        Digest digest = received.digest();
        if (!digest.equals(artifact.digest())) {
            throw Failures.mismatch(artifact, digest);
        }
    }

    private void transfer(URI from, Body body) throws IOException {
        URI address = from;
        for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
            policy.require(address);
            if ("file".equals(address.getScheme())) {
                file(address, body);
                return;
            }
            HttpURLConnection http = ask(address, body);
            try {
                String location = http.getHeaderField("Location");
                if (http.getResponseCode() / 100 != 3 || location == null) {
                    TimeLimit.within(body.deadline(), () -> body.take(http), Failures::timedOut);
                    return;
                }
                URI next = address.resolve(location);
                policy.requireRedirect(address, next);
                address = next;
            } finally {
                http.disconnect();
            }
        }
        throw Failures.endlessRedirects(from);
    }

    private static void file(URI address, Body body) throws IOException {
        URLConnection connection = address.toURL().openConnection();
        TimeLimit.within(body.deadline(), () -> body.takeFile(connection), Failures::timedOut);
    }

    /**
     * Asks one host and waits for the head of its answer, not longer than twice the silence that is
     * borne: connecting, shaking hands and a head that drips are all within it (E4).
     */
    private HttpURLConnection ask(URI address, Body body) throws IOException {
        Deadline until = body.deadline().atMost(policy.window().multipliedBy(2));
        return TimeLimit.within(
                until, () -> answer(address, body), () -> Failures.late(body.deadline()));
    }

    private HttpURLConnection answer(URI address, Body body) throws IOException {
        HttpURLConnection http = hosts.of(address).open(address);
        boolean taken = false;
        try {
            body.prepare(http);
            int status = http.getResponseCode();
            if (status < 0) {
                throw new IOException("no answer in HTTP");
            }
            policy.require(address); // its name may have come to mean another host meanwhile
            taken = true;
            return http;
        } finally {
            if (!taken) {
                http.disconnect();
            }
        }
    }
}
