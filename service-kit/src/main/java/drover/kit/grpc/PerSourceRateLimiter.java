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
public final class PerSourceRateLimiter {
    private static final int NETWORK_BYTES = 8; // of an address of IPv6

    private static final Rate UNLIMITED = new Rate(Duration.ZERO, 1); // each one costs no time

    /** The least recently active source is dropped first. */
    private static final int MAX_SOURCES = 4_096;

    private final LongSupplier nanoTime;
    private final Rate ratePerSource;
    private final TokenBucket all;
    private final Map<String, TokenBucket> sources =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, TokenBucket> eldest) {
                    return size() > MAX_SOURCES;
                }
            };

    /**
     * A rate.
     *
     * @param interval time between two in the long run
     * @param burst after a quiet time
     */
    public record Rate(Duration interval, long burst) {
        private TokenBucket newBucket(long now) {
            return new TokenBucket(interval, burst, now);
        }
    }

    /** Limits each source, and all sources together not at all. */
    public static PerSourceRateLimiter perSourceOnly(Rate one, LongSupplier nanoTime) {
        return new PerSourceRateLimiter(UNLIMITED, one, nanoTime);
    }

    /** By a monotonic clock. */
    public PerSourceRateLimiter(Rate all, Rate one, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.ratePerSource = one;
        this.all = all.newBucket(nanoTime.getAsLong());
    }

    /** Key of a source: an IPv4 address, or the /64 network of an IPv6 address. */
    public static String sourceKey(InetAddress address) {
        if (!(address instanceof Inet6Address)) {
            return address.getHostAddress();
        }
        return HexFormat.ofDelimiter(":").formatHex(address.getAddress(), 0, NETWORK_BYTES) + "/64";
    }

    /** Whether one more of this source is within both limits now. */
    public synchronized boolean tryAcquire(String source) {
        long now = nanoTime.getAsLong();
        return sources.computeIfAbsent(source, _ -> ratePerSource.newBucket(now)).tryAcquire(now)
                && all.tryAcquire(now);
    }
}
