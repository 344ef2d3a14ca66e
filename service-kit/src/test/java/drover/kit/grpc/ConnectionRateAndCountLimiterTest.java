package drover.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** I1, I5: what may come is bounded, of all and of each. */
class ConnectionRateAndCountLimiterTest {
    private static final int ALL = 300;
    private static final int ONE = 150;

    private final AtomicLong nanos = new AtomicLong(-5_000_000_000L); // clocks begin anywhere
    private final AtomicInteger refused = new AtomicInteger();
    private final ConnectionRateAndCountLimiter limiter = limiter(Integer.MAX_VALUE);

    private ConnectionRateAndCountLimiter limiter(int most) {
        ConnectionLimits usual = ConnectionLimits.AGENTS;
        return new ConnectionRateAndCountLimiter(
                "agents",
                new ConnectionLimits(
                        ALL,
                        ONE,
                        most,
                        usual.maxAge(),
                        usual.grace(),
                        usual.idle(),
                        usual.keepaliveTime(),
                        usual.keepaliveTimeout()),
                nanos::get,
                refused::incrementAndGet);
    }

    private static InetAddress machine(int number) {
        try {
            return InetAddress.getByAddress(
                    new byte[] {10, 0, (byte) (number >> 8), (byte) number});
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private long admitted(int times, boolean one) {
        return IntStream.range(0, times)
                .filter(i -> limiter.tryAcquire(machine(one ? 0 : i)))
                .count();
    }

    private void later(long millis) {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void threeSecondsWorthAtOnceAndThenTheRateOfAllTogether() {
        assertThat(admitted(5_000, false)).isEqualTo(900);
        later(1_000);
        assertThat(admitted(5_000, false)).isEqualTo(300);
        assertThat(refused).hasValue(10_000 - 1_200);
    }

    @Test
    @DisplayName("Whoever dials without end leaves the half of all to others")
    void oneSourceGetsAtMostHalfOfTheRate() {
        assertThat(admitted(5_000, true)).isEqualTo(450);
        later(1_000);
        assertThat(admitted(5_000, true)).isEqualTo(150);
        assertThat(admitted(100, false)).as("others, at the same time").isGreaterThan(98);
    }

    @Test
    void admitsAFleetThatReconnectsWithinAMinute() {
        int fleet = 5_000;
        long all = 0;
        for (int i = 0; i < fleet; i++) {
            all += limiter.tryAcquire(machine(i)) ? 1 : 0;
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(60) / fleet);
        }
        assertThat(all).isEqualTo(fleet);
    }

    @Test
    void admitsNoMoreConnectionsThanMayBeOpen() {
        ConnectionRateAndCountLimiter limiter = limiter(2);
        assertThat(limiter.tryOpen(machine(1))).isTrue();
        assertThat(limiter.tryOpen(machine(2))).isTrue();
        assertThat(limiter.tryOpen(machine(3))).isFalse();
        limiter.onClosed(machine(1));
        assertThat(limiter.tryOpen(machine(3))).isTrue();
        assertThat(refused).hasValue(1);
    }

    @Test
    @DisplayName("One source holds an eighth of the open connections, and others the rest")
    void limitsTheOpenConnectionsOfOneSource() {
        ConnectionRateAndCountLimiter limiter = limiter(16);
        assertThat(limiter.tryOpen(machine(1))).isTrue();
        assertThat(limiter.tryOpen(machine(1))).isTrue();
        assertThat(limiter.tryOpen(machine(1))).isFalse();
        assertThat(limiter.tryOpen(machine(2))).isTrue();
        limiter.onClosed(machine(1));
        assertThat(limiter.tryOpen(machine(1))).isTrue();
        assertThat(refused).hasValue(1);
    }

    @Test
    void limitsTheOpenConnectionsOfLoopbackOnlyInTotal() {
        ConnectionRateAndCountLimiter limiter = limiter(16);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        assertThat(IntStream.range(0, 20).filter(_ -> limiter.tryOpen(loopback)).count())
                .isEqualTo(16);
    }

    @Test
    void aConnectionOverTheRateIsNotCountedAsOpen() {
        ConnectionRateAndCountLimiter limiter = limiter(8 * 1_000);
        assertThat(IntStream.range(0, 900).filter(_ -> limiter.tryOpen(machine(1))).count())
                .isEqualTo(450);
        IntStream.range(0, 450).forEach(_ -> limiter.onClosed(machine(1)));
        later(60_000);
        assertThat(IntStream.range(0, 450).filter(_ -> limiter.tryOpen(machine(1))).count())
                .isEqualTo(450);
    }
}
