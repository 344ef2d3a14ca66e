package drover.kit.grpc;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Rate limiter with one token bucket for all sources together and one for each. A source that is
 * over its own limit takes nothing from the others.
 */
public final class SourceRateLimiter {
    private static final int NETWORK_BYTES = 8; // of an address of IPv6

    private static final Rate UNLIMITED = new Rate(Duration.ZERO, 1); // each one costs no time

    /** The least recently active source is dropped first. */
    private static final int MOST_SOURCES = 4_096;

    private final LongSupplier nanoTime;
    private final Rate one;
    private final TokenBucket all;
    private final Map<String, TokenBucket> sources =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, TokenBucket> eldest) {
                    return size() > MOST_SOURCES;
                }
            };

    /**
     * A rate.
     *
     * @param each time between two in the long run
     * @param atOnce after a quiet time
     */
    public record Rate(Duration each, long atOnce) {
        private TokenBucket from(long now) {
            return new TokenBucket(each, atOnce, now);
        }
    }

    /** Limits each source, and all sources together not at all. */
    public static SourceRateLimiter ofEach(Rate one, LongSupplier nanoTime) {
        return new SourceRateLimiter(UNLIMITED, one, nanoTime);
    }

    /** By a monotonic clock. */
    public SourceRateLimiter(Rate all, Rate one, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.one = one;
        this.all = all.from(nanoTime.getAsLong());
    }

    /** Key of a source: an IPv4 address, or the /64 network of an IPv6 address. */
    public static String source(InetAddress address) {
        if (!(address instanceof Inet6Address)) {
            return address.getHostAddress();
        }
        return HexFormat.ofDelimiter(":").formatHex(address.getAddress(), 0, NETWORK_BYTES) + "/64";
    }

    /** Whether one more of this source is within both limits now. */
    public synchronized boolean admits(String source) {
        long now = nanoTime.getAsLong();
        return sources.computeIfAbsent(source, _ -> one.from(now)).take(now) && all.take(now);
    }
}
