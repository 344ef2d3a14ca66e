package drover.opsagent.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HandoverStepTest {
    private static final Duration MINUTE = Duration.ofSeconds(60);

    @ParameterizedTest
    @DisplayName(
            "Every cell: alive, asked, seen, seconds the control plane was there → what is done")
    @CsvSource({
        "true,  true,  true,  0,  Exit",
        "true,  true,  false, 0,  Exit",
        "true,  true,  false, 60, Exit",
        "false, true,  true,  90, RestartSuccessor",
        "false, true,  false, 60, StopSuccessorAndCompensate",
        "true,  false, false, 0,  Wait",
        "true,  false, false, 59, Wait",
        "true,  false, false, 60, StopSuccessorAndCompensate",
        "true,  false, true,  90, Wait",
        "false, false, false, 0,  RestartSuccessor",
        "false, false, false, 60, StopSuccessorAndCompensate",
        "false, false, true,  90, RestartSuccessor"
    })
    void decides(boolean alive, boolean requested, boolean seen, long seconds, String decision) {
        HandoverStep.HandoverObservation known =
                new HandoverStep.HandoverObservation(
                        alive, requested, seen, Duration.ofSeconds(seconds));
        assertThat(HandoverStep.next(known, MINUTE).getClass().getSimpleName()).isEqualTo(decision);
    }

    @Test
    @DisplayName("An agent never leaves unless it is asked, however long it waits")
    void neverLeavesUnasked() {
        for (boolean alive : new boolean[] {true, false}) {
            for (boolean seen : new boolean[] {true, false}) {
                HandoverStep.HandoverObservation known =
                        new HandoverStep.HandoverObservation(
                                alive, false, seen, Duration.ofDays(30));
                assertThat(HandoverStep.next(known, MINUTE))
                        .isNotInstanceOf(HandoverStep.Exit.class);
            }
        }
    }
}
