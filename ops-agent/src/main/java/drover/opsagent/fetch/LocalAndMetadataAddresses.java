package drover.opsagent.fetch;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Decides which addresses no download may reach unless the node's own policy names them (H13): the
 * machine itself, its link, and where clouds tell machines their secrets. Private IPv4 networks are
 * not among them: many a fleet keeps its artifacts there.
 */
final class LocalAndMetadataAddresses {
    /** Where one cloud answers as others do at 169.254.169.254. */
    private static final byte[] METADATA = {100, 100, 100, (byte) 200};

    /** 64:ff9b::/96, under which a translator reaches IPv4 (RFC 6052). */
    private static final byte[] TRANSLATED = {0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 0, 0, 0, 0, 0};

    private LocalAndMetadataAddresses() {}

    static boolean contains(InetAddress address) {
        if (address instanceof Inet6Address six) {
            return containsIpv6(six);
        }
        return isLocalOrMulticast(address) || Arrays.equals(address.getAddress(), METADATA);
    }

    private static boolean containsIpv6(Inet6Address six) {
        byte[] bytes = six.getAddress();
        boolean uniqueLocal = (bytes[0] & 0xfe) == 0xfc; // fc00::/7, metadata at fd00:ec2::254
        return isLocalOrMulticast(six)
                || six.isSiteLocalAddress()
                || uniqueLocal
                || (startsWith(bytes, 0x20, 0x02) && contains(toIpv4(bytes, 2))) // 6to4, RFC 3056
                || (embedsIpv4(bytes) && contains(toIpv4(bytes, 12)));
    }

    private static boolean isLocalOrMulticast(InetAddress address) {
        return address.isLoopbackAddress()
                || address.isLinkLocalAddress()
                || address.isAnyLocalAddress()
                || address.isMulticastAddress();
    }

    private static boolean startsWith(byte[] bytes, int first, int second) {
        return (bytes[0] & 0xff) == first && (bytes[1] & 0xff) == second;
    }

    /** Mapped (::ffff:a.b.c.d), compatible (::a.b.c.d), or translated: the last four bytes. */
    private static boolean embedsIpv4(byte[] bytes) {
        boolean zeros = Arrays.equals(bytes, 0, 10, new byte[10], 0, 10);
        boolean mapped = bytes[10] == (byte) 0xff && bytes[11] == (byte) 0xff;
        boolean compatible = bytes[10] == 0 && bytes[11] == 0;
        return (zeros && (mapped || compatible))
                || (Arrays.equals(bytes, 0, 10, TRANSLATED, 0, 10) && compatible);
    }

    private static InetAddress toIpv4(byte[] bytes, int from) {
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(bytes, from, from + 4));
        } catch (UnknownHostException e) {
            throw new IllegalStateException("Four bytes are an address", e);
        }
    }
}
