package drover.coordinator.engine.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What callers without a key cost and learn. */
final class ReadinessCacheTest {
    private final AtomicLong nanos = new AtomicLong(-7);
    private final AtomicInteger checks = new AtomicInteger();
    private final ReadinessCache problems =
            new ReadinessCache(() -> List.of("Problem " + checks.incrementAndGet()), nanos::get);

    @Test
    void checksAtMostOncePerSecond() {
        for (int call = 0; call < 1_000; call++) {
            assertThat(problems.get()).containsExactly("Problem 1");
        }
        nanos.addAndGet(1_000_000_000L);
        assertThat(problems.get()).containsExactly("Problem 2");
        assertThat(checks).hasValue(2);
    }

    @ParameterizedTest
    @CsvSource({
        "The certificate in /etc/drover/tls ends., The certificate in tls ends.",
        "/etc/drover/key.pem is not good., key.pem is not good.",
        "Use TCP/IP or 5 m/s., Use TCP/IP or 5 m/s."
    })
    void revealsNoDirectory(String sentence, String shown) {
        assertThat(ReadinessCache.maskDirectories(sentence)).isEqualTo(shown);
    }
}
