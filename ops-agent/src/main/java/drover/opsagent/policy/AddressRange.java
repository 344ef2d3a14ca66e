package drover.opsagent.policy;

import java.net.InetAddress;

/**
 * A network address, or all addresses that share its first bits.
 *
 * @param bits how many leading bits must be equal
 */
public record AddressRange(InetAddress first, int bits) {

    /**
     * Reads {@code 10.0.0.5} or {@code 10.0.0.0/8}. Names are refused: their meaning can change.
     *
     * @throws IllegalArgumentException with one sentence if the text is neither
     */
    public static AddressRange parse(String text) {
        int slash = text.indexOf('/');
        try {
            InetAddress first = InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash));
            int all = first.getAddress().length * Byte.SIZE;
            int bits = slash < 0 ? all : Integer.parseInt(text.substring(slash + 1));
            if (bits >= 0 && bits <= all) {
                return new AddressRange(first, bits);
            }
        } catch (IllegalArgumentException _) {
            // The sentence below says what is wrong with either part.
        }
        throw new IllegalArgumentException(
                "'" + text + "' is not an IP address or a range such as 10.0.0.0/8.");
    }

    /** Whether the address is in this range. An IPv6 address is never in a range of IPv4. */
    public boolean contains(InetAddress address) {
        byte[] mine = first.getAddress();
        byte[] other = address.getAddress();
        if (mine.length != other.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit++) {
            int mask = 0x80 >> bit % Byte.SIZE;
            if (((mine[bit / Byte.SIZE] ^ other[bit / Byte.SIZE]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }
}
