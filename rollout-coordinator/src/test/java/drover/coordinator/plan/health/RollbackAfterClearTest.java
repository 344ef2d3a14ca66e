package drover.coordinator.plan.health;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.RequestDecision;
import drover.model.NodeId;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A node that rejected its restore, for example because its disk was full, keeps its backup. Once
 * an operator has repaired and cleared it, a rollback restores it (A13, D14).
 */
class RollbackAfterClearTest {
    private static final NodeId FIRST = Given.node(1);
    private static final NodeId SECOND = Given.node(2);

    private static Given succeeded(int nodes) {
        Given given = Given.rolling(nodes, 1).start();
        while (!given.inFlight().isEmpty()) {
            given.batchSucceeds();
        }
        return given.isObserved();
    }

    private static Given rollBack(Given given) {
        assertThat(given.request(new OperatorRequest.Rollback()))
                .isInstanceOf(RequestDecision.Applied.class);
        return given.plan();
    }

    private static void isIncomplete(Given given) {
        assertThat(given.rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.Failed.class,
                        failed ->
                                assertThat(failed.reason())
                                        .isEqualTo(RolloutFailureReason.ROLLBACK_INCOMPLETE));
    }

    @Test
    @DisplayName("D14: a node whose restore failed is not restored again before it is cleared")
    void skipsAMarkedNode() {
        Given given = rollBack(succeeded(1)).refuses(FIRST, "DISK_FULL");
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.FailedRollback.class);
        isIncomplete(given);

        rollBack(given);

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.FailedRollback.class);
        isIncomplete(given);
    }

    @Test
    @DisplayName("A13: after the clear a further rollback restores what the upgrade replaced")
    void restoresAClearedNode() {
        Given given = rollBack(succeeded(1)).refuses(FIRST, "DISK_FULL");
        long upgrade = given.upgrade(FIRST).installedBy();
        given.fleet.clear(FIRST);

        rollBack(given);

        assertThat(given.state(FIRST))
                .isInstanceOfSatisfying(
                        NodeState.Restoring.class,
                        restoring -> assertThat(restoring.ofAttempt()).isEqualTo(upgrade));
        given.restores(FIRST);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    void marksTheNodeAgainWhenItsRestoreFailsAgain() {
        Given given = rollBack(succeeded(1)).refuses(FIRST, "DISK_FULL");
        given.fleet.clear(FIRST);
        rollBack(given).refuses(FIRST, "DISK_FULL");
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.FailedRollback.class);
        isIncomplete(given);
    }

    @Test
    @DisplayName("A23: a cleared node does not count as left unhealthy by the rollback")
    void restoresAClearedNodeOfAPausedRollback() {
        Given given = rollBack(succeeded(2)).refuses(SECOND, "DISK_FULL");
        given.isPausedFor(PauseReason.RESTORED_UNHEALTHY);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        given.fleet.clear(SECOND);
        assertThat(given.request(new OperatorRequest.Resume(1)))
                .isInstanceOf(RequestDecision.Applied.class);

        given.plan();
        while (!given.inFlight().isEmpty()) {
            given.restores(given.inFlight().getFirst());
        }

        assertThat(given.state(SECOND)).isInstanceOf(NodeState.RolledBack.class);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }
}
