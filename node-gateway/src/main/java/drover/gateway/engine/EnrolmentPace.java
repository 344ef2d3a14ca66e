package drover.gateway.engine;

import drover.kit.grpc.Refused;
import drover.kit.grpc.SourceRateLimiter;
import drover.model.RefusalCode;
import java.net.InetAddress;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How fast strangers may try to get in: 10 a second and 50 at once of all together, 2 a second and
 * 20 at once of one source (SECURITY, enrolment 2). What comes on top is told to come back.
 */
public final class EnrolmentPace {
    private static final SourceRateLimiter.Rate ALL =
            new SourceRateLimiter.Rate(Duration.ofMillis(100), 50);
    private static final SourceRateLimiter.Rate ONE =
            new SourceRateLimiter.Rate(Duration.ofMillis(500), 20);

    private final SourceRateLimiter pace;

    /** By a monotonic clock. */
    public EnrolmentPace(LongSupplier nanoTime) {
        this.pace = new SourceRateLimiter(ALL, ONE, nanoTime);
    }

    /** Who counts as one, see {@link SourceRateLimiter#source}. */
    public static String source(InetAddress address) {
        return SourceRateLimiter.source(address);
    }

    /**
     * Lets one in. A source that is too fast does not use up what others may.
     *
     * @param source where it comes from, see {@link #source}
     * @throws Refused when there are too many
     */
    public void admit(String source) {
        if (!pace.admits(source)) {
            throw new Refused(
                    RefusalCode.OVERLOADED,
                    "Too many machines are being enrolled; try again with full jitter.");
        }
    }
}
