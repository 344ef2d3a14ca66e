package drover.opsagent.fetch;

import java.net.URI;
import java.util.Locale;

/**
 * Where an address is served: scheme, host and port. What is meant for one origin is shown to no
 * other, not even to another port of the same host.
 */
record Origin(String scheme, String host, int port) {
    /** The origin of an address that names a host. */
    static Origin of(URI address) {
        String scheme = String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
        String host = String.valueOf(address.getHost()).toLowerCase(Locale.ROOT);
        return new Origin(
                scheme, host, address.getPort() >= 0 ? address.getPort() : defaultPort(scheme));
    }

    private static int defaultPort(String scheme) {
        return scheme.equals("https") ? 443 : 80;
    }
}
