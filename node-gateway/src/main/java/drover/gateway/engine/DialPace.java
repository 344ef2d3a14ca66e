package drover.gateway.engine;

import java.net.InetAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How fast agents may dial: what comes on top is ended before its handshake, so that those that
 * were begun are finished in time (invariants I1, I5). Agents come again with full jitter.
 */
public final class DialPace {
    private static final Logger LOG = LoggerFactory.getLogger(DialPace.class);

    /**
     * So many seconds' worth may come at once after a quiet time: far less than a handshake may
     * take, so that the last of them is not given up while it waits.
     */
    static final int SECONDS_AT_ONCE = 3;

    private static final long BETWEEN_LINES = Duration.ofSeconds(10).toNanos();

    private final SourcePace pace;
    private final LongSupplier nanoTime;
    private final Runnable refused;
    private final AtomicLong lineAt; // before which nothing more is said of it

    /**
     * By a monotonic clock.
     *
     * @param all how many a second, of all together
     * @param one how many a second of one source
     * @param refused is run for each that is too many
     */
    public DialPace(int all, int one, LongSupplier nanoTime, Runnable refused) {
        this.pace = new SourcePace(rate(all), rate(one), nanoTime);
        this.nanoTime = nanoTime;
        this.refused = refused;
        this.lineAt = new AtomicLong(nanoTime.getAsLong());
    }

    private static SourcePace.Rate rate(int aSecond) {
        return new SourcePace.Rate(
                Duration.ofSeconds(1).dividedBy(aSecond), SECONDS_AT_ONCE * aSecond);
    }

    /** Whether a connection from this address may come now; never waits. */
    public boolean admits(InetAddress address) {
        String source = SourcePace.source(address);
        if (pace.admits(source)) {
            return true;
        }
        refused.run();
        tell(source);
        return false;
    }

    private void tell(String source) {
        long now = nanoTime.getAsLong();
        long due = lineAt.get();
        if (now - due >= 0 && lineAt.compareAndSet(due, now + BETWEEN_LINES)) {
            LOG.warn(
                    "Agents dial faster than this gateway admits them; this was the last peer={}",
                    source);
        }
    }
}
