package drover.gateway.engine.limit;

import static org.assertj.core.api.Assertions.assertThat;

import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnrollmentRateLimiterTest {
    private final AtomicLong nanos = new AtomicLong(-5_000_000_000L); // clocks begin anywhere
    private final EnrollmentRateLimiter pace = new EnrollmentRateLimiter(nanos::get);

    private long admitted(int times, boolean oneSource) {
        return IntStream.range(0, times).filter(i -> isAdmitted(oneSource ? "s" : "s" + i)).count();
    }

    private boolean isAdmitted(String source) {
        try {
            pace.acquireOrRefuse(source);
            return true;
        } catch (Refused refused) {
            assertThat(refused.code()).isEqualTo(RefusalCode.OVERLOADED);
            return false;
        }
    }

    private void later(long millis) {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void fiftyAtOnceAndTenASecondOfAllTogether() {
        assertThat(admitted(200, false)).isEqualTo(50);
        later(1_000);
        assertThat(admitted(200, false)).isEqualTo(10);
        later(60_000);
        assertThat(admitted(200, false)).isEqualTo(50);
    }

    @Test
    void twentyAtOnceAndTwoASecondOfOneSource() {
        assertThat(admitted(200, true)).isEqualTo(20);
        later(1_000);
        assertThat(admitted(200, true)).isEqualTo(2);
        later(60_000);
        assertThat(admitted(200, true)).isEqualTo(20);
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.1, true",
        "192.0.2.1, 192.0.2.2, false",
        "::ffff:192.0.2.1, 192.0.2.1, true",
        "2001:db8:1:2::1, 2001:db8:1:2:ffff::9, true",
        "2001:db8:1:2::1, 2001:db8:1:3::1, false"
    })
    @DisplayName("Whoever has one address of IPv6 has a network of them, and counts as one")
    void aSourceIsANetworkWhereItHasOne(String one, String other, boolean same)
            throws UnknownHostException {
        assertThat(source(one).equals(source(other))).isEqualTo(same);
    }

    private static String source(String literal) throws UnknownHostException {
        return EnrollmentRateLimiter.sourceKey(InetAddress.getByName(literal)); // looks nothing up
    }

    @Test
    void oneThatIsTooFastLeavesTheOthersTheirShare() {
        assertThat(admitted(500, true)).isEqualTo(20);
        assertThat(admitted(200, false)).isEqualTo(30);
    }
}
