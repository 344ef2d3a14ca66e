package drover.gateway.engine;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How fast something may come, of all together and of each source. A source that is too fast does
 * not use up what others may.
 */
final class SourcePace {
    private static final int NETWORK_BYTES = 8; // of an address of IPv6

    /** The one that was quiet for longest is forgotten first. */
    private static final int MOST_SOURCES = 4_096;

    private final LongSupplier nanoTime;
    private final Rate one;
    private final Allowance all;
    private final Map<String, Allowance> sources =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Allowance> eldest) {
                    return size() > MOST_SOURCES;
                }
            };

    /**
     * A rate.
     *
     * @param each time between two in the long run
     * @param atOnce after a quiet time
     */
    record Rate(Duration each, int atOnce) {
        private Allowance from(long now) {
            return new Allowance(each, atOnce, now);
        }
    }

    /** By a monotonic clock. */
    SourcePace(Rate all, Rate one, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.one = one;
        this.all = all.from(nanoTime.getAsLong());
    }

    /**
     * Who counts as one: an address of IPv4, and of IPv6 a network of 64 bits, since whoever has
     * one address there has all of them.
     */
    static String source(InetAddress address) {
        if (!(address instanceof Inet6Address)) {
            return address.getHostAddress();
        }
        return HexFormat.ofDelimiter(":").formatHex(address.getAddress(), 0, NETWORK_BYTES) + "/64";
    }

    /** Whether one more of this source may come now. */
    synchronized boolean admits(String source) {
        long now = nanoTime.getAsLong();
        return sources.computeIfAbsent(source, _ -> one.from(now)).take(now) && all.take(now);
    }
}
