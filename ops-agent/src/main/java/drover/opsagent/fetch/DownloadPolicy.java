package drover.opsagent.fetch;

import drover.opsagent.journal.ReasonCode;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What this node may download (H13). It is the node's own: no command changes it.
 *
 * @param schemes of {@code http}, {@code https} and {@code file}
 * @param hosts allowed hosts; empty allows every public one
 * @param localAllowed whether loopback and link-local addresses are allowed without being named
 * @param maxBytes of an artifact whose size is not stated
 * @param minBytesPerSecond slower is given up (E4)
 * @param window over which the rate is taken; also the longest silence
 */
public record DownloadPolicy(
        Set<String> schemes,
        Set<String> hosts,
        boolean localAllowed,
        long maxBytes,
        long minBytesPerSecond,
        Duration window) {
    private static final long TWO_GIB = 2L << 30;

    public DownloadPolicy {
        schemes = Set.copyOf(schemes);
        hosts =
                hosts.stream()
                        .map(host -> host.toLowerCase(Locale.ROOT))
                        .collect(Collectors.toUnmodifiableSet());
    }

    /** For a node of a real fleet: public hosts over http and https, or just the named ones. */
    public static DownloadPolicy forFleet(Set<String> hosts) {
        return new DownloadPolicy(
                Set.of("http", "https"), hosts, false, TWO_GIB, 1024, Duration.ofSeconds(15));
    }

    /** For nodes on the operator's own machine: files and loopback as well. */
    public static DownloadPolicy forLocalMachine() {
        return new DownloadPolicy(
                Set.of("http", "https", "file"),
                Set.of(),
                true,
                TWO_GIB,
                1024,
                Duration.ofSeconds(15));
    }

    /**
     * Refuses an address that is not allowed. Checked for every address and redirect: before the
     * connection, and again before the response is read (decision 0031).
     *
     * @throws ServerUnavailable when its host's name cannot be resolved
     */
    void requireAllowed(URI address) throws ServerUnavailable {
        String scheme = String.valueOf(address.getScheme());
        if (address.getRawAuthority() != null && address.getRawAuthority().contains("@")) {
            throw addressRefused(
                    address, "it contains a credential; list its host in --artifact-hosts instead");
        }
        if (!schemes.contains(scheme)) {
            throw addressRefused(address, "its scheme is not one of " + schemes);
        }
        if (scheme.equals("file")) {
            return;
        }
        String host = address.getHost();
        if (host == null || host.isEmpty()) {
            throw addressRefused(address, "it names no host");
        }
        if (hosts.contains(host.toLowerCase(Locale.ROOT))) {
            return;
        }
        if (!hosts.isEmpty()) {
            throw addressRefused(address, "its host is not one of " + hosts);
        }
        requireNotRestricted(address, host);
    }

    /** Refuses redirects to files, and from https to http; the rest as for every address. */
    void requireRedirectAllowed(URI from, URI to) throws ServerUnavailable {
        String scheme = String.valueOf(to.getScheme());
        boolean weaker = "https".equals(from.getScheme()) && !scheme.equals("https");
        if (weaker || !scheme.startsWith("http")) {
            throw redirectRefused(
                    from,
                    addressRefused(
                            to, "a redirect from " + from.getScheme() + " may not lead there"));
        }
        try {
            requireAllowed(to);
        } catch (FetchFailed e) {
            throw redirectRefused(from, e);
        }
    }

    private static FetchFailed redirectRefused(URI from, FetchFailed refused) {
        return new FetchFailed(
                refused.reason(),
                DownloadFailureFactory.redactedUrl(from)
                        + " redirects to an address that is refused. "
                        + refused.getMessage());
    }

    private void requireNotRestricted(URI address, String host) throws ServerUnavailable {
        if (localAllowed) {
            return;
        }
        try {
            for (InetAddress one : InetAddress.getAllByName(host)) {
                if (LocalAndMetadataAddresses.contains(one)) {
                    throw addressRefused(
                            address, "it is local to this machine, its link or its cloud's host");
                }
            }
        } catch (UnknownHostException _) {
            throw new ServerUnavailable("there is no host " + host, Duration.ZERO);
        }
    }

    private static FetchFailed addressRefused(URI address, String why) {
        return new FetchFailed(
                ReasonCode.DOWNLOAD_REFUSED,
                "This node may not download "
                        + DownloadFailureFactory.redactedUrl(address)
                        + ": "
                        + why
                        + ".");
    }
}
