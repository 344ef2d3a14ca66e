package drover.coordinator.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RolloutRoundsTest {
    @ParameterizedTest(name = "after {0} ms of work it rests {1} ms")
    @CsvSource({"0, 25", "12, 25", "13, 26", "60, 120", "125, 250", "9000, 250"})
    void restsTwiceAsLongAsItWorkedWithinBounds(long worked, long rest) {
        Pacer.Rest pace = RolloutRounds.pace(Duration.ofMillis(worked));
        assertThat(pace.length()).isEqualTo(Duration.ofMillis(rest));
        assertThat(pace.wakeable()).isFalse(); // a flood of news must not drive it
    }
}
