package drover.coordinator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.RetentionRules.EndedRollout;
import drover.coordinator.plan.RetentionRules.RetentionDecision;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class RetentionRulesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration KEEP = Duration.ofDays(400);
    private static final Instant LONG_AGO = NOW.minus(KEEP).minusSeconds(1);
    private static final RolloutId ID = new RolloutId("6f1d7c5e-0000-4000-8000-000000000001");

    @Test
    void whatEndedLongAgoAndIsSupersededGoes() {
        assertThat(judge(new EndedRollout(ID, LONG_AGO, false, false, 0, 0, 0)))
                .isEqualTo(RetentionDecision.EXPIRED);
    }

    @Test
    void whatEndedWithinTheTimeStays() {
        Instant then = NOW.minus(KEEP);
        assertThat(judge(new EndedRollout(ID, then, false, false, 0, 0, 0)))
                .isEqualTo(RetentionDecision.TOO_YOUNG);
    }

    @Test
    @DisplayName("Never what can still be rolled back: the latest, and what stands on any node")
    void whatCanBeRolledBackStaysRegardlessOfItsAge() {
        assertThat(judge(new EndedRollout(ID, LONG_AGO, false, true, 0, 0, 0)))
                .isEqualTo(RetentionDecision.LATEST);
        assertThat(judge(new EndedRollout(ID, LONG_AGO, false, false, 1, 0, 0)))
                .isEqualTo(RetentionDecision.CAN_BE_ROLLED_BACK);
    }

    @Test
    void waitedForRowsStay() {
        assertThat(judge(new EndedRollout(ID, LONG_AGO, true, false, 0, 0, 0)))
                .isEqualTo(RetentionDecision.GROUP_ACTIVE);
        assertThat(judge(new EndedRollout(ID, LONG_AGO, false, false, 0, 1, 0)))
                .isEqualTo(RetentionDecision.ATTEMPT_OPEN);
        assertThat(judge(new EndedRollout(ID, LONG_AGO, false, false, 0, 0, 1)))
                .isEqualTo(RetentionDecision.REQUEST_WAITS);
    }

    private static RetentionDecision judge(EndedRollout rollout) {
        return RetentionRules.decide(rollout, NOW, KEEP);
    }
}
