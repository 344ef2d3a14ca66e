package drover.opsagent.docker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.opsagent.time.AutoAdvancingTicker;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How long an engine is waited for. */
class EngineRetryTest {
    private final AutoAdvancingTicker ticker = new AutoAdvancingTicker();
    private final EngineRetry retry = new EngineRetry(ticker);
    private final AtomicInteger requested = new AtomicInteger();

    @Test
    void waitsForAnEngineThatIsUnavailableUntilTheTimeIsUp() {
        assertThat(until(failing(20, EngineFailed.unavailable("gone", null)))).isEqualTo("done");
        assertThatThrownBy(() -> until(failing(1_000, EngineFailed.unavailable("gone", null))))
                .isInstanceOf(EngineFailed.class);
        assertThat(requested.get()).isBetween(30, 200);
    }

    @Test
    @DisplayName("An engine that fails in itself is asked three times: it may be about to end")
    void triesAFailingEngineThreeTimes() {
        assertThat(until(failing(2, EngineFailed.serverError("store")))).isEqualTo("done");
        assertThatThrownBy(() -> until(failing(3, EngineFailed.serverError("store"))))
                .hasMessage("store");
        assertThat(requested.get()).isEqualTo(3);
    }

    @Test
    void takesANoAtOnce() {
        assertThatThrownBy(() -> until(failing(1, EngineFailed.rejected("no")))).hasMessage("no");
        assertThat(requested.get()).isEqualTo(1);
    }

    @Test
    @DisplayName("All looks together wait ten seconds, and anew once the engine was there again")
    void pollsShareOneWait() {
        long before = ticker.nanos();
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(
                            () ->
                                    retry.retryRead(
                                            failing(1_000, EngineFailed.unavailable("gone", null))))
                    .isInstanceOf(EngineFailed.class);
        }
        assertThat(Duration.ofNanos(ticker.nanos() - before))
                .isBetween(Duration.ofSeconds(9), Duration.ofSeconds(12));
        assertThat(retry.retryRead(() -> "back")).isEqualTo("back");
        assertThat(retry.retryRead(failing(10, EngineFailed.unavailable("gone", null))))
                .isEqualTo("done");
    }

    private String until(Supplier<String> work) {
        return retry.retry(ticker.deadlineIn(Duration.ofSeconds(20)), work);
    }

    private Supplier<String> failing(int times, EngineFailed how) {
        requested.set(0);
        return () -> {
            if (requested.incrementAndGet() <= times) {
                throw how;
            }
            return "done";
        };
    }
}
