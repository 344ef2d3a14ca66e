package drover.gateway.engine;

import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How fast strangers may try to get in: 10 a second and 50 at once of all together, 2 a second and
 * 20 at once of one source (SECURITY, enrolment 2). What comes on top is told to come back.
 */
public final class EnrolmentPace {
    private static final Duration ALL = Duration.ofMillis(100);
    private static final int ALL_AT_ONCE = 50;
    private static final Duration ONE = Duration.ofMillis(500);
    private static final int ONE_AT_ONCE = 20;

    private static final int NETWORK_BYTES = 8; // of an address of IPv6

    /** The one that was quiet for longest is forgotten first. */
    private static final int MOST_SOURCES = 4_096;

    private final LongSupplier nanoTime;
    private final Allowance all;
    private final Map<String, Allowance> sources =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Allowance> eldest) {
                    return size() > MOST_SOURCES;
                }
            };

    /** By a monotonic clock. */
    public EnrolmentPace(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.all = new Allowance(ALL, ALL_AT_ONCE, nanoTime.getAsLong());
    }

    /**
     * Who counts as one: an address of IPv4, and of IPv6 a network of 64 bits, since whoever has
     * one address there has all of them.
     */
    public static String source(InetAddress address) {
        if (!(address instanceof Inet6Address)) {
            return address.getHostAddress();
        }
        return HexFormat.ofDelimiter(":").formatHex(address.getAddress(), 0, NETWORK_BYTES) + "/64";
    }

    /**
     * Lets one in. A source that is too fast does not use up what others may.
     *
     * @param source where it comes from, see {@link #source}
     * @throws Refused when there are too many
     */
    public synchronized void admit(String source) {
        long now = nanoTime.getAsLong();
        Allowance own = sources.computeIfAbsent(source, _ -> new Allowance(ONE, ONE_AT_ONCE, now));
        if (!own.take(now) || !all.take(now)) {
            throw new Refused(
                    RefusalCode.OVERLOADED,
                    "Too many machines are being enrolled; try again with full jitter.");
        }
    }
}
