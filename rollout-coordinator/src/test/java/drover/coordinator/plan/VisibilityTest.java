package drover.coordinator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.RequestDecision;
import drover.coordinator.plan.step.Effect;
import drover.model.MigrationType;
import drover.model.NodeId;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * R3: without fleet visibility no node gets work, no node is restored and no approval takes effect.
 */
class VisibilityTest {
    private static final NodeId FIRST = Given.node(1);

    private static void loseVisibility(Given given) {
        given.fleet.completeSince = null;
        given.fleet.visibilityLostAt = given.now;
    }

    private static void regainVisibility(Given given) {
        given.fleet.completeSince = given.now;
        given.fleet.visibilityLostAt = null;
    }

    @Test
    @DisplayName("R3: a rollout that starts without fleet visibility dispatches nothing")
    void dispatchesNothing() {
        Given given = Given.rolling(3, 1);
        loseVisibility(given);
        given.start();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        assertThat(given.inFlight()).isEmpty();
        assertThat(given.last.effects()).noneMatch(Effect.Command.class::isInstance);

        regainVisibility(given);
        given.plan();
        assertThat(given.inFlight()).hasSize(1);
    }

    @Test
    @DisplayName("R3: the next batch waits for fleet visibility")
    void theNextBatchWaits() {
        Given given = Given.rolling(3, 1).start();
        NodeId first = given.inFlight().getFirst();
        given.installs(first);
        loseVisibility(given);
        given.isHealthy(first);
        assertThat(given.inFlight()).doesNotContain(Given.node(2), Given.node(3));

        regainVisibility(given);
        given.plan().isHealthy(first);
        assertThat(given.inFlight()).hasSize(1).doesNotContain(first);
    }

    @Test
    @DisplayName("R3: a rollback restores nothing without fleet visibility")
    void restoresNothing() {
        Given given = Given.rolling(2, 2).start().batchSucceeds();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        loseVisibility(given);
        given.request(new OperatorRequest.Rollback());
        given.plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RollingBack.class);
        assertThat(given.inFlight()).isEmpty();
        assertThat(given.last.effects()).noneMatch(Effect.Command.class::isInstance);

        regainVisibility(given);
        given.plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    @DisplayName("R3, A9: an approval is not used up without fleet visibility")
    void usesNoApproval() {
        Given given = Given.canary(4, MigrationType.BREAKING).start();
        NodeId canary = given.inFlight().getFirst();
        given.installs(canary).isHealthy(canary).at(Duration.ofSeconds(20)).plan();
        assertThat(given.approve()).isInstanceOf(RequestDecision.Applied.class);
        loseVisibility(given);
        given.plan();
        assertThat(given.rollout.batches().getFirst().phase()).isEqualTo(BatchPhase.APPROVED);
        assertThat(given.inFlight()).isEmpty();

        regainVisibility(given);
        given.plan();
        assertThat(given.rollout.batches().getFirst().phase()).isEqualTo(BatchPhase.PROMOTED);
        assertThat(given.inFlight()).hasSize(2);
    }
}
