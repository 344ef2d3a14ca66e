package drover.coordinator.api.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.NodeState.RolledBack;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.Cause;
import drover.model.RolloutId;
import drover.rollout.v1.RolloutNode;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RolloutNodeFindingTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Cause FINDING =
            new Cause("APPLICATION_CRITICAL", "Application health is critical: ready: HTTP 503");

    private static RolloutNode restored(Optional<Cause> finding, Cause shown) {
        Rollout rollout =
                SampleRollout.of(new RolloutId("restored"), Plan.rolling("demo", 1, 1), NOW);
        NodeUpgrade node = rollout.nodes().values().iterator().next();
        RolledBack state = new RolledBack(1, "run", finding, NOW);
        return RolloutProtos.toNode(rollout, node.withState(state), null, shown);
    }

    @Test
    @DisplayName("T8: a restored node that is unhealthy has the finding as its sentence")
    void aRestoredUnhealthyNodeHasItsFinding() {
        RolloutNode node = restored(Optional.of(FINDING), FINDING);

        assertThat(node.getReason()).isEqualTo("APPLICATION_CRITICAL");
        assertThat(node.getErrorMessage()).isEqualTo(FINDING.sentence());
    }

    @Test
    void aRestoredHealthyNodeHasNoSentence() {
        Cause verified = new Cause("ROLLED_BACK", "Verified at what it ran before.");

        assertThat(restored(Optional.empty(), verified).getErrorMessage()).isEmpty();
    }
}
