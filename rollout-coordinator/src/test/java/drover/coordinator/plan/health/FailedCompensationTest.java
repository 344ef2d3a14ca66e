package drover.coordinator.plan.health;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.RequestDecision;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * An upgrade that failed and that its agent could not undo: after a clear the upgraded version may
 * run (A13, A22).
 */
class FailedCompensationTest {
    private static final NodeId FIRST = Given.node(1);
    private static final NodeId SECOND = Given.node(2);

    private static Given rollBack(Given given) {
        assertThat(given.request(new OperatorRequest.Rollback()))
                .isInstanceOf(RequestDecision.Applied.class);
        return given.plan();
    }

    /** The upgrade fails, and its agent cannot restore what ran before: the target stays. */
    private static Given compensationFails(Given given, NodeId node) {
        given.fleet.report(
                node,
                given.upgrade(node).attempt(),
                AttemptOutcome.FAILED_ROLLBACK,
                "",
                "",
                "DISK_FULL");
        return given.plan();
    }

    /** A clear starts the version whose files are installed. */
    private static void isClearedAtTheTarget(Given given, NodeId node) {
        given.fleet.clear(node);
        given.fleet.connect(node, Given.NEW.value(), Given.NEW_CONFIG.value());
    }

    @Test
    @DisplayName("A22: a retry after a failed compensation passes the health gate")
    void retriesAnUpgradeThatWasNotCompensated() {
        Given given = compensationFails(Given.rolling(2, 1).start(), FIRST);
        long upgrade = given.upgrade(FIRST).attempt();
        isClearedAtTheTarget(given, FIRST);

        given.request(new OperatorRequest.RetryNode(FIRST));
        given.request(new OperatorRequest.Resume(0));
        given.plan();

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Assigned.class);
        given.installs(FIRST);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Settling.class);
        assertThat(given.upgrade(FIRST).installedBy())
                .as("its backup has what ran before the rollout")
                .isEqualTo(upgrade);
    }

    @Test
    @DisplayName("A13: a rollback restores a cleared node whose upgrade was not compensated")
    void restoresAnUpgradeThatWasNotCompensated() {
        Given given = compensationFails(Given.rolling(1, 1).start(), FIRST);
        long upgrade = given.upgrade(FIRST).attempt();
        isClearedAtTheTarget(given, FIRST);

        rollBack(given);

        assertThat(given.state(FIRST))
                .isInstanceOfSatisfying(
                        NodeState.Restoring.class,
                        restoring -> assertThat(restoring.ofAttempt()).isEqualTo(upgrade));
        given.restores(FIRST);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    @DisplayName("A13: also if the agent reports success with another version than before")
    void restoresANodeThatReportsAnotherVersion() {
        Given given = Given.rolling(1, 1).start();
        given.fleet.report(
                FIRST,
                given.upgrade(FIRST).attempt(),
                AttemptOutcome.FAILED,
                Given.NEW.value(),
                Given.NEW_CONFIG.value(),
                "START_FAILED");
        given.plan();
        isClearedAtTheTarget(given, FIRST);

        rollBack(given);

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    @DisplayName("A13: a rollback right after the retry restores the node, too")
    void restoresARetriedNode() {
        Given given = compensationFails(Given.rolling(1, 1).start(), FIRST);
        isClearedAtTheTarget(given, FIRST);
        given.request(new OperatorRequest.RetryNode(FIRST));
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Pending.class);

        rollBack(given);

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
        given.restores(FIRST);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    @DisplayName("A13: a skipped node whose upgrade was not compensated is restored")
    void restoresASkippedNode() {
        Given given = compensationFails(Given.rolling(1, 1).start(), FIRST);
        isClearedAtTheTarget(given, FIRST);
        given.request(new OperatorRequest.SkipNode(FIRST));

        rollBack(given.plan());

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    @DisplayName("A23: a failed compensation does not delay the restores of a rollback")
    void doesNotWaitForAnUpgradeThatWasNotCompensated() {
        Given given = Given.rolling(2, 1).start();
        given.batchSucceeds();
        compensationFails(given, SECOND);

        rollBack(given);

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
        given.restores(FIRST);
        assertThat(given.rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.Failed.class,
                        failed ->
                                assertThat(failed.reason())
                                        .isEqualTo(RolloutFailureReason.ROLLBACK_INCOMPLETE));
    }

    @Test
    @DisplayName("A13: a retry during a rollback is applied once the node is cleared")
    void acceptsARetryDuringARollback() {
        Given given = Given.rolling(2, 1).start();
        given.batchSucceeds();
        compensationFails(given, SECOND);
        rollBack(given);
        OperatorRequest retry = new OperatorRequest.RetryNode(SECOND);
        assertThat(given.request(retry))
                .isInstanceOfSatisfying(
                        RequestDecision.Refused.class,
                        refused -> assertThat(refused.sentence()).contains("drover node clear"));
        isClearedAtTheTarget(given, SECOND);

        assertThat(given.request(retry)).isInstanceOf(RequestDecision.Applied.class);
    }

    @Test
    @DisplayName("A13: also if the agent reports the failure after the node was skipped")
    void restoresANodeThatWasSkippedWhileOffline() {
        Given given = Given.rolling(2, 1).start().starts(FIRST);
        given.fleet.disconnect(FIRST, given.now);
        given.at(Duration.ofHours(2)).plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Unreachable.class);
        given.request(new OperatorRequest.SkipNode(FIRST));
        compensationFails(given, FIRST);
        isClearedAtTheTarget(given, FIRST);

        rollBack(given);

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
    }
}
