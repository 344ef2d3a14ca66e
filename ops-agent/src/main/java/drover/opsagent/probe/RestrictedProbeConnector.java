package drover.opsagent.probe;

import drover.opsagent.policy.AddressRange;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Addresses that probes may connect to: the node's own and those that its owner lists (H13). A name
 * is resolved once, and the connection goes to an address that was checked.
 */
final class RestrictedProbeConnector {
    /** Link-local metadata is excluded as a class; these clouds answer elsewhere. */
    private static final List<AddressRange> METADATA =
            Stream.of("100.100.100.200", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254")
                    .map(AddressRange::parse)
                    .toList();

    private final List<AddressRange> listed;

    RestrictedProbeConnector(List<AddressRange> listed) {
        this.listed = List.copyOf(listed);
    }

    /** Target outside the limits; nothing was sent. */
    static final class AddressNotAllowed extends IOException {
        private static final long serialVersionUID = 1L;

        AddressNotAllowed(String host) {
            super(
                    host
                            + " is neither this node nor listed under probes.addresses in its"
                            + " policy");
        }
    }

    /**
     * Opens a connection.
     *
     * @throws AddressNotAllowed if the name has no address that is allowed
     */
    Socket connect(String host, int port, Duration timeout) throws IOException {
        IOException last = new AddressNotAllowed(host);
        for (InetAddress address : InetAddress.getAllByName(host)) {
            if (!isAllowed(address)) {
                continue;
            }
            Socket socket = new Socket();
            try {
                int millis = Math.clamp(timeout.toMillis(), 1, Integer.MAX_VALUE);
                socket.connect(new InetSocketAddress(address, port), millis);
                socket.setSoTimeout(millis);
                return socket;
            } catch (IOException e) {
                socket.close();
                last = e;
            }
        }
        throw last;
    }

    boolean isAllowed(InetAddress address) throws SocketException {
        boolean never =
                address.isLinkLocalAddress()
                        || address.isAnyLocalAddress()
                        || address.isMulticastAddress()
                        || METADATA.stream().anyMatch(it -> it.contains(address));
        return !never && (isOwn(address) || listed.stream().anyMatch(it -> it.contains(address)));
    }

    private static boolean isOwn(InetAddress address) throws SocketException {
        return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
    }
}
