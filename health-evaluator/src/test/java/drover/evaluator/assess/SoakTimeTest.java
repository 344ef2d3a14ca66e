package drover.evaluator.assess;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.ApplicationHealth;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.SyncStatus;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * F3: both the run and its health must have lasted for the soak time, whatever an agent reports.
 */
class SoakTimeTest {
    private static final Digest TARGET = Digest.of("new");
    private static final ProgramWatchSpec WATCH =
            new ProgramWatchSpec(
                    new NodeId("n1"),
                    7,
                    new BinaryName("web"),
                    "run-2",
                    TARGET,
                    Optional.empty(),
                    Duration.ofSeconds(60),
                    HealthThresholds.DEFAULT);

    @ParameterizedTest(name = "up for {0} s, healthy for {1} s: healthy = {2}")
    @DisplayName("F3: a broken agent that reports more healthy time than up time is not believed")
    @CsvSource({
        "60, 60, true",
        "90, 60, true",
        "59, 59, false",
        "59, 60, false",
        "1, 600, false",
        "600, 59, false"
    })
    void needsBothForTheSoakTime(int upFor, int healthyFor, boolean healthy) {
        ProgramObservation signal =
                new ProgramObservation(
                        "web",
                        "run-2",
                        TARGET.value(),
                        "",
                        Duration.ofSeconds(upFor),
                        Duration.ofSeconds(healthyFor),
                        0,
                        ApplicationHealth.OK,
                        SyncStatus.SYNCED,
                        List.of());
        LatestHeartbeat latest =
                new LatestHeartbeat.Received(new Heartbeat(7, List.of(signal)), Duration.ZERO);
        assertThat(
                        ProgramHealthRules.assess(WATCH, ProgramFlapHistory.EMPTY, latest)
                                instanceof Verdict.Healthy)
                .isEqualTo(healthy);
    }
}
