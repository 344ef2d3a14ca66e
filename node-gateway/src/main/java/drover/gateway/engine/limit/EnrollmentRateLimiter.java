package drover.gateway.engine.limit;

import drover.kit.grpc.PerSourceRateLimiter;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.net.InetAddress;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How fast strangers may try to get in: 10 a second and 50 at once of all together, 2 a second and
 * 20 at once of one source (SECURITY, enrolment 2). What comes on top is told to come back.
 */
public final class EnrollmentRateLimiter {
    private static final PerSourceRateLimiter.Rate ALL =
            new PerSourceRateLimiter.Rate(Duration.ofMillis(100), 50);
    private static final PerSourceRateLimiter.Rate ONE =
            new PerSourceRateLimiter.Rate(Duration.ofMillis(500), 20);

    private final PerSourceRateLimiter pace;

    /** By a monotonic clock. */
    public EnrollmentRateLimiter(LongSupplier nanoTime) {
        this.pace = new PerSourceRateLimiter(ALL, ONE, nanoTime);
    }

    /** Who counts as one, see {@link PerSourceRateLimiter#sourceKey}. */
    public static String sourceKey(InetAddress address) {
        return PerSourceRateLimiter.sourceKey(address);
    }

    /**
     * Lets one in. A source that is too fast does not use up what others may.
     *
     * @param source where it comes from, see {@link #sourceKey}
     * @throws Refused when there are too many
     */
    public void acquireOrRefuse(String source) {
        if (!pace.tryAcquire(source)) {
            throw new Refused(
                    RefusalCode.OVERLOADED,
                    "Too many machines are being enrolled; try again with full jitter.");
        }
    }
}
