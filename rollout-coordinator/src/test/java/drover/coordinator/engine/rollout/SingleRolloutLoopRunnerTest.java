package drover.coordinator.engine.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.loop.LoopScheduler;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SingleRolloutLoopRunnerTest {
    @ParameterizedTest(name = "after {0} ms of work it rests {1} ms")
    @CsvSource({"0, 25", "25, 25", "26, 26", "60, 60", "75, 75", "9000, 75"})
    void restsAsLongAsItWorkedWithinBounds(long worked, long rest) {
        LoopScheduler.Pause pace = SingleRolloutLoopRunner.pauseAfter(Duration.ofMillis(worked));
        assertThat(pace.length()).isEqualTo(Duration.ofMillis(rest));
        assertThat(pace.wakeable()).isFalse(); // a flood of news must not drive it
    }
}
