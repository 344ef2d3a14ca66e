package drover.opsagent.fetch;

import java.net.URI;

/** How addresses are shown to people. */
final class AddressRedactor {
    private AddressRedactor() {}

    /** Without credentials and query: a server may lead to an address that holds a secret (H14). */
    static String redact(URI address) {
        if (address.getHost() == null) {
            return address.getScheme() + ":" + String.valueOf(address.getRawPath());
        }
        String port = address.getPort() < 0 ? "" : ":" + address.getPort();
        return address.getScheme() + "://" + address.getHost() + port + address.getRawPath();
    }
}
