package drover.opsagent.fetch;

import drover.model.Digest;
import drover.model.program.DownloadAddress;
import drover.opsagent.journal.Artifact;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLConnection;
import java.net.UnknownHostException;
import java.util.function.IntConsumer;

/**
 * Downloads artifacts over http, https and from files. A broken transfer is resumed where it broke,
 * if the entity tag shows that it is still the same object; else it restarts, so that bytes of two
 * objects are never mixed (E5). The digest of the whole decides.
 */
public final class HttpFetcher implements Fetcher {
    private static final int MOST_REDIRECTS = 5;

    /** What a try led to. */
    private enum Outcome {
        COMPLETE,
        BROKEN_OFF,
        OTHER_BYTES
    }

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
            Artifact artifact, DownloadTarget into, Deadline deadline, IntConsumer percent) {
        URI address = parse(artifact);
        long limit = artifact.size() > 0 ? artifact.size() : policy.maxBytes();
        DownloadReceiver received = new DownloadReceiver(into, limit, artifact.size(), percent);
        if (artifact.size() > 0 && received.receivedBytes() == artifact.size()) {
            if (syncAndVerify(artifact, received)) {
                return;
            }
            received.restart("");
        }
        DownloadResponseReader body =
                new DownloadResponseReader(artifact, policy, rate, ticker, received, deadline);
        DownloadRetryBackoff retry =
                new DownloadRetryBackoff(artifact, policy, ticker, received, deadline);
        for (Outcome outcome = Outcome.BROKEN_OFF; outcome != Outcome.COMPLETE; ) {
            outcome = tryOnce(artifact, address, body, received, retry);
            if (outcome == Outcome.OTHER_BYTES) {
                boolean again = body.disableDecodingIfDecoded() || received.continuesEarlier();
                Digest digest = received.digest();
                received.restart("");
                if (!again) {
                    throw DownloadFailureFactory.mismatch(artifact, digest, body.coding());
                }
            }
        }
    }

    private static URI parse(Artifact artifact) {
        try {
            return DownloadAddress.parse(artifact.url()).uri();
        } catch (IllegalArgumentException e) {
            throw DownloadFailureFactory.malformedAddress(e);
        }
    }

    private Outcome tryOnce(
            Artifact artifact,
            URI address,
            DownloadResponseReader body,
            DownloadReceiver received,
            DownloadRetryBackoff retry) {
        try {
            transfer(address, body);
            if (artifact.size() == 0 || received.receivedBytes() == artifact.size()) {
                return syncAndVerify(artifact, received) ? Outcome.COMPLETE : Outcome.OTHER_BYTES;
            }
            if (!body.coding().isEmpty()) {
                return Outcome.OTHER_BYTES;
            }
            retry.pauseOrThrowAfterBreak(DownloadFailureFactory.truncated(artifact));
        } catch (FetchFailed e) {
            if (e.reason() != ReasonCode.DOWNLOAD_TOO_LARGE || !body.disableDecodingIfDecoded()) {
                throw e;
            }
            received.restart("");
        } catch (SocketTimeoutException _) {
            retry.pauseOrThrowAfterBreak(DownloadFailureFactory.tooSlow(artifact));
        } catch (FileNotFoundException _) {
            throw DownloadFailureFactory.notFound(artifact);
        } catch (ServerUnavailable e) {
            retry.pauseOrThrowWhileUnavailable(
                    DownloadFailureFactory.unavailable(artifact, e), e.retryAfter());
        } catch (IOException e) {
            retry.pauseOrThrowAfterBreak(
                    received.receivedBytes() > 0
                            ? DownloadFailureFactory.truncated(artifact)
                            : DownloadFailureFactory.unreachable(artifact, e));
        }
        return Outcome.BROKEN_OFF;
    }

    private static boolean syncAndVerify(Artifact artifact, DownloadReceiver received) {
        received.sync();
        return received.digest().equals(artifact.digest());
    }

    private void transfer(URI from, DownloadResponseReader body) throws IOException {
        URI address = from;
        for (int redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
            if (redirects == 0) {
                policy.requireAllowed(address);
            }
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
                            () -> DownloadFailureFactory.timedOut(body.artifact()));
                    return;
                }
                URI next = RedirectLocationParser.resolve(address, location);
                policy.requireRedirectAllowed(address, next);
                address = next;
            } finally {
                http.disconnect();
            }
        }
        throw DownloadFailureFactory.endlessRedirects(from);
    }

    private static void readFileUrl(URI address, DownloadResponseReader body) throws IOException {
        URLConnection connection = address.toURL().openConnection();
        TimeLimiter.callWithTimeout(
                body.deadline(),
                () -> body.readFile(connection),
                () -> DownloadFailureFactory.timedOut(body.artifact()));
    }

    /**
     * Sends a request and waits for the complete head of its response, at most twice as long as the
     * longest silence: connection, TLS handshake and a head that drips are included (E4).
     */
    private HttpURLConnection sendWithTimeout(URI address, DownloadResponseReader body)
            throws IOException {
        Deadline until = body.deadline().atMost(policy.window().multipliedBy(2));
        return TimeLimiter.callWithTimeout(
                until,
                () -> send(address, body),
                () -> ServerUnavailable.slow(new SocketTimeoutException("no complete head")));
    }

    private HttpURLConnection send(URI address, DownloadResponseReader body) throws IOException {
        HttpURLConnection http = hosts.accessTo(address).openConnection(address);
        boolean taken = false;
        try {
            body.configureRequest(http);
            if (receiveStatus(http) < 0) {
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

    /** A server that restarts refuses, resets, ignores or ends connections for some seconds. */
    private static int receiveStatus(HttpURLConnection http) throws IOException {
        boolean connected = false;
        try {
            http.connect();
            connected = true;
            return http.getResponseCode();
        } catch (SocketTimeoutException e) {
            throw connected
                    ? ServerUnavailable.slow(e)
                    : ServerUnavailable.disconnected("it does not accept connections", e);
        } catch (IOException e) {
            if (isConnectionLost(e)) {
                throw ServerUnavailable.disconnected(String.valueOf(e.getMessage()), e);
            }
            throw e;
        }
    }

    /** Whether the connection failed or ended, also in its TLS handshake. */
    private static boolean isConnectionLost(IOException e) {
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (at instanceof SocketException
                    || at instanceof UnknownHostException
                    || at instanceof EOFException) {
                return true;
            }
        }
        return false;
    }
}
