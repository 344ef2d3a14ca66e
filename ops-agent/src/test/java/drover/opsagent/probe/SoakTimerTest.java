package drover.opsagent.probe;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ApplicationHealth;
import drover.model.program.Probe;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SoakTimerTest {
    private static final Probe ANSWERS = probe("answers", ApplicationHealth.CRITICAL);
    private static final Probe CROWDED = probe("crowded", ApplicationHealth.DEGRADED);
    private static final List<Probe> BOTH = List.of(ANSWERS, CROWDED);

    private static Probe probe(String name, ApplicationHealth whileFailing) {
        return new Probe(
                name,
                Duration.ofSeconds(15),
                Duration.ofSeconds(1),
                Duration.ofSeconds(60),
                new Probe.Check.ProcessAlive(),
                new Probe.StatusWhileFailing.HealthWhileFailing(whileFailing));
    }

    private static long at(int seconds) {
        return Duration.ofSeconds(seconds).toNanos();
    }

    @Test
    @DisplayName("F3: time before the first success is not well, however long the grace")
    void countsFromTheFirstSuccess() {
        SoakTimer wellness = new SoakTimer(at(0));
        assertThat(wellness.healthyFor(BOTH, at(20))).isZero();
        wellness.recordResult(BOTH, ANSWERS, true, at(20));
        assertThat(wellness.healthyFor(BOTH, at(25))).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    @DisplayName("F3: a failure that grace excuses is not well either")
    void aProbeThatNeverSucceedsIsNeverHealthy() {
        SoakTimer wellness = new SoakTimer(at(0));
        for (int second = 0; second < 60; second++) {
            wellness.recordResult(BOTH, ANSWERS, false, at(second));
            assertThat(wellness.healthyFor(BOTH, at(second))).isZero();
        }
    }

    @Test
    void startsAgainAfterAFailure() {
        SoakTimer wellness = new SoakTimer(at(0));
        wellness.recordResult(BOTH, ANSWERS, true, at(1));
        wellness.recordResult(BOTH, ANSWERS, false, at(10));
        assertThat(wellness.healthyFor(BOTH, at(11))).isZero();
        wellness.recordResult(BOTH, ANSWERS, true, at(12));
        assertThat(wellness.healthyFor(BOTH, at(14))).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void degradedProbeDelaysNothing() {
        SoakTimer wellness = new SoakTimer(at(0));
        wellness.recordResult(BOTH, ANSWERS, true, at(1));
        wellness.recordResult(BOTH, CROWDED, false, at(2));
        assertThat(wellness.healthyFor(BOTH, at(6))).isEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void aProgramWithoutSuchProbesIsHealthyForAsLongAsItIsChecked() {
        assertThat(new SoakTimer(at(3)).healthyFor(List.of(CROWDED), at(8)))
                .isEqualTo(Duration.ofSeconds(5));
    }
}
