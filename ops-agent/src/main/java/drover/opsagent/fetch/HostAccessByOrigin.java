package drover.opsagent.fetch;

import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.util.Map;

/**
 * How this node reaches private hosts of artifacts. It is the node's own: no command names a
 * credential, and being listed here does not allow a host ({@link DownloadPolicy} does that).
 */
public final class HostAccessByOrigin {
    /** Every host straight, and shown nothing. */
    public static final HostAccessByOrigin NONE = new HostAccessByOrigin(Map.of());

    private final Map<Origin, HostConnectionSettings> byOrigin;

    HostAccessByOrigin(Map<Origin, HostConnectionSettings> byOrigin) {
        this.byOrigin = Map.copyOf(byOrigin);
    }

    HostConnectionSettings accessTo(URI address) {
        return byOrigin.getOrDefault(Origin.of(address), HostConnectionSettings.PLAIN);
    }

    /**
     * Refuses a proxy for a host that no list names: a proxy resolves names itself, so that the
     * check of public addresses would mean nothing (H13).
     *
     * @throws IllegalArgumentException with one sentence
     */
    public void requireProxyHostsListed(DownloadPolicy policy) {
        byOrigin.forEach(
                (origin, access) -> {
                    boolean named = policy.hosts().contains(origin.host()) || policy.localAllowed();
                    if (access.proxy().type() != Proxy.Type.DIRECT && !named) {
                        throw new IllegalArgumentException(
                                origin.host()
                                        + " is reached through a proxy, where its address cannot be"
                                        + " checked: name it with --allow-host or in the policy.");
                    }
                });
    }

    /** Where a proxy listens, as host:port; its name is resolved when it is dialled. */
    static Proxy parseProxy(String address) {
        int colon = address.lastIndexOf(':');
        String port = address.substring(colon + 1);
        if (colon < 1 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) > 65_535) {
            throw new IllegalArgumentException(
                    "'" + address + "' is no proxy: write host:port, for example proxy:3128.");
        }
        return new Proxy(
                Proxy.Type.HTTP,
                InetSocketAddress.createUnresolved(
                        address.substring(0, colon), Integer.parseInt(port)));
    }
}
