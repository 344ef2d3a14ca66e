package drover.gateway.engine.limit;

import static org.assertj.core.api.Assertions.assertThat;

import drover.kit.grpc.Refused;
import drover.kit.grpc.StreamRateLimiter;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** In virtual time. */
class NodeCallLimiterTest {
    private final AtomicLong nanos = new AtomicLong(-1);
    private final NodeCallLimiter calls =
            new NodeCallLimiter(StreamRateLimiter.Limits.STANDARD, nanos::get);

    private boolean admits(String node) {
        try {
            calls.acquireOrRefuse(new NodeId(node));
            return true;
        } catch (Refused e) {
            assertThat(e.code()).isEqualTo(RefusalCode.OVERLOADED);
            return false;
        }
    }

    private long admitted(int times, String node) {
        return IntStream.range(0, times).filter(_ -> admits(node)).count();
    }

    private void later(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    @DisplayName("J1: a node in a loop of calls gets ten, then one a second; others are served")
    void limitsTheCallsOfOneNode() {
        assertThat(admitted(1_000, "n1")).isEqualTo(10);
        assertThat(admits("n2")).isTrue();
        later(Duration.ofSeconds(5));
        assertThat(admitted(1_000, "n1")).isEqualTo(5);
    }

    @Test
    void admitsAWholeFleetAtOnce() {
        assertThat(IntStream.range(0, 10_000).filter(i -> admits("n" + i)).count())
                .isEqualTo(10_000);
    }

    @Test
    @DisplayName("An agent and its standby reconnect at random times within a minute, for hours")
    void admitsHonestReconnects() {
        long refused = 0;
        for (int minute = 0; minute < 600; minute++) {
            refused += 3 - admitted(3, "n1"); // an agent, its standby and a renewal at one moment
            later(Duration.ofMinutes(1));
        }
        assertThat(refused).isZero();
    }

    @Test
    void limitsTheCallsWithOneToken() {
        long admitted =
                IntStream.range(0, 100)
                        .filter(
                                _ -> {
                                    try {
                                        calls.acquireOrRefuse(Digest.of("token"));
                                        return true;
                                    } catch (Refused e) {
                                        return false;
                                    }
                                })
                        .count();
        assertThat(admitted).isEqualTo(10);
    }
}
