package drover.coordinator.engine.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.explain.RolloutExplainer;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.FleetView;
import drover.model.RolloutId;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class NoDataFleetViewTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final FleetView fleet = new NoDataFleetView();

    @Test
    void followerReportsNoEvaluatorAsFailed() {
        Rollout fresh =
                SampleRollout.of(
                        new RolloutId("rollout-1"), SampleRollout.Plan.rolling("demo", 1, 1), NOW);
        Rollout paused =
                new Rollout(
                        fresh.id(),
                        fresh.revision(),
                        fresh.spec(),
                        new RolloutState.Running(NOW).pause(PauseReason.HEALTH_UNAVAILABLE, NOW),
                        0,
                        0,
                        fresh.batches(),
                        fresh.nodes());

        assertThat(RolloutExplainer.rolloutReason(paused, fleet).sentence())
                .isEqualTo(
                        "Nothing was heard of how a node is, or of any; its history says of which."
                                + " What is heard now is known to the coordinator that leads"
                                + " alone: ask that one, then resume, or roll back.");
    }
}
