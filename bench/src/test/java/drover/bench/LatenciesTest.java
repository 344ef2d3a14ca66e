package drover.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LatenciesTest {
    @Test
    void aPercentileIsOneOfThemByNearestRank() {
        LatencyDistribution latencies =
                of(IntStream.rangeClosed(1, 300).map(it -> 301 - it).toArray());
        assertThat(latencies.count()).isEqualTo(300);
        assertThat(latencies.percentile(50)).isEqualTo(Duration.ofMillis(150));
        assertThat(latencies.percentile(99)).isEqualTo(Duration.ofMillis(297));
        assertThat(latencies.max()).isEqualTo(Duration.ofMillis(300));
    }

    @Test
    void ofTwoTheFirstIsTheMiddleAndTheSecondTheRest() {
        assertThat(of(4, 2).percentile(50)).isEqualTo(Duration.ofMillis(2));
        assertThat(of(4, 2).percentile(99)).isEqualTo(Duration.ofMillis(4));
    }

    @Test
    void omitsDurationsOfTwoClocks() {
        assertThatThrownBy(() -> of(3, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new LatencyDistribution(List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static LatencyDistribution of(int... millis) {
        return new LatencyDistribution(IntStream.of(millis).mapToObj(Duration::ofMillis).toList());
    }
}
