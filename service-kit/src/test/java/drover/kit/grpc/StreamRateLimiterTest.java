package drover.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** In virtual time. */
class StreamRateLimiterTest {
    private final AtomicLong nanos = new AtomicLong(-1);
    private final StreamRateLimiter rate =
            new StreamRateLimiter(new StreamRateLimiter.Limits(20, 65_536, 1), nanos::get);

    /** Sends as fast as it may; the time that it waited. */
    private Duration send(int messages, int bytes) {
        Duration waited = Duration.ZERO;
        for (int i = 0; i < messages; i++) {
            Duration wait = rate.countAndGetDelay(bytes);
            nanos.addAndGet(wait.toNanos());
            waited = waited.plus(wait);
        }
        return waited;
    }

    @Test
    void delaysNoBurstOfTenSeconds() {
        assertThat(send(200, 100)).isZero();
        assertThat(rate.countAndGetDelay(100)).isEqualTo(Duration.ofMillis(50));
    }

    @Test
    void limitsMessagesToTheRate() {
        assertThat(send(1_200, 0)).isEqualTo(Duration.ofSeconds(50)); // 1,000 above the burst
    }

    @Test
    void limitsBytesToTheRate() {
        Duration waited = send(100, 32_768); // 50 s of the rate, and 10 s are the burst

        assertThat(waited).isBetween(Duration.ofMillis(39_900), Duration.ofMillis(40_100));
    }

    @Test
    void refillsWhileAnAgentIsQuiet() {
        assertThat(send(1_200, 0)).isPositive();
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());

        assertThat(send(200, 100)).isZero();
    }

    @Test
    void acceptsTheHighestRates() {
        StreamRateLimiter high =
                new StreamRateLimiter(new StreamRateLimiter.Limits(20, 300_000_000, 1), nanos::get);

        assertThat(high.countAndGetDelay(1_000_000)).isZero();
    }
}
