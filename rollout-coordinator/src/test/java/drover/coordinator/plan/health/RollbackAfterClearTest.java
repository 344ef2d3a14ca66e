package drover.coordinator.plan.health;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.RequestDecision;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A node that rejected its restore, for example because its disk was full, keeps its backup. Once
 * an operator has repaired and cleared it, a rollback restores it (A13, D14).
 */
class RollbackAfterClearTest {
    private static final NodeId FIRST = Given.node(1);
    private static final NodeId SECOND = Given.node(2);
    private static final NodeId THIRD = Given.node(3);
    private static final Duration HEALTH_DEADLINE = Duration.ofSeconds(30);

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

        assertThat(given.request(new OperatorRequest.Rollback()))
                .isInstanceOfSatisfying(
                        RequestDecision.Refused.class,
                        refused -> {
                            assertThat(refused.code()).isEqualTo(RefusalCode.NODE_FAILED_ROLLBACK);
                            assertThat(refused.sentence()).contains("drover node clear " + FIRST);
                        });
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
    @DisplayName("A23: a cleared node does not count as left unhealthy by a further rollback")
    void restoresAClearedNodeBesideOthers() {
        Given given = rollBack(succeeded(2)).refuses(SECOND, "DISK_FULL");
        given.isPausedFor(PauseReason.RESTORED_UNHEALTHY);
        resume(given, 1);
        given.restores(FIRST);
        isIncomplete(given);
        given.fleet.clear(SECOND);

        rollBack(given);

        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Restoring.class);
        given.restores(SECOND);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    @DisplayName("A23: what was accepted of a cleared node covers no other node")
    void pausesForAnotherNodeThatIsUnhealthyAfterTheClear() {
        Given given = rollBack(succeeded(3)).refuses(THIRD, "DISK_FULL");
        resume(given, 1);
        given.restoresUnobserved(SECOND);
        given.fleet.clear(THIRD);

        given.isUnhealthy(SECOND).at(HEALTH_DEADLINE).plan();

        given.isPausedFor(PauseReason.RESTORED_UNHEALTHY);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
    }

    @Test
    @DisplayName("A23: the acceptance of a cleared node ends when it is restored again")
    void endsTheAcceptanceWhenTheClearedNodeIsRestored() {
        Given given = Given.rolling(6, 2).start();
        while (!given.inFlight().isEmpty()) {
            given.batchSucceeds();
        }
        NodeId refusing = Given.node(6);
        NodeId other = Given.node(4);
        rollBack(given.isObserved()).refuses(refusing, "DISK_FULL").refuses(Given.node(5), "X");
        resume(given, 2);
        given.restores(THIRD).restoresUnobserved(other);
        given.fleet.clear(refusing);

        given.isHealthy(other);

        assertThat(given.state(refusing)).isInstanceOf(NodeState.Restoring.class);
        assertThat(given.rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.RollingBack.class,
                        back ->
                                assertThat(back.acceptedUnhealthy())
                                        .as("of node 5 alone")
                                        .isEqualTo(1));
    }

    @Test
    @DisplayName("D14: a node whose local rollback fails in a rollback is not restored uncleared")
    void doesNotRestoreANodeInTheStepOfItsFailure() {
        Given given = succeeded(2);
        long upgrade = given.upgrade(SECOND).attempt();
        given.fleet.guards.put(
                SECOND, new FleetView.NodeAttemptsAndReservation(upgrade + 3, null, false));
        given.request(new OperatorRequest.Rollback());
        given.fleet.report(
                SECOND, upgrade, AttemptOutcome.FAILED_ROLLBACK, "", "", "NOT_PROVEN_BACK");

        given.plan();

        assertThat(given.state(SECOND)).isInstanceOf(NodeState.FailedRollback.class);
    }

    @Test
    @DisplayName("A23: a cleared node leaves the acceptance of the others")
    void retainsTheAcceptanceOfAnotherNode() {
        Given given = Given.rolling(6, 2).start();
        while (!given.inFlight().isEmpty()) {
            given.batchSucceeds();
        }
        NodeId other = Given.node(4);
        rollBack(given.isObserved())
                .refuses(Given.node(6), "DISK_FULL")
                .refuses(Given.node(5), "DISK_FULL");
        resume(given, 2);
        given.at(Duration.ofSeconds(1)).refuses(THIRD, "DISK_FULL").restoresUnobserved(other);
        given.isPausedFor(PauseReason.RESTORED_UNHEALTHY);
        given.fleet.clear(THIRD);
        resume(given, 3);

        given.isHealthy(other);

        assertThat(given.state(THIRD)).isInstanceOf(NodeState.Restoring.class);
        assertThat(given.rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.RollingBack.class,
                        back -> assertThat(back.acceptedUnhealthy()).isEqualTo(2));
    }

    private static void resume(Given given, int acknowledged) {
        assertThat(given.request(new OperatorRequest.Resume(acknowledged)))
                .isInstanceOf(RequestDecision.Applied.class);
        given.plan();
    }
}
