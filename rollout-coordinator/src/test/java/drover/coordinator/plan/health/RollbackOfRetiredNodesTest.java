package drover.coordinator.plan.health;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.RequestDecision;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * A machine that a rollout modified is retired; another one may be registered under its name. The
 * rollout restores neither (R1, A13).
 */
class RollbackOfRetiredNodesTest {
    private static final NodeId FIRST = Given.node(1);
    private static final NodeId SECOND = Given.node(2);

    private static Given succeeded(int nodes) {
        Given given = Given.rolling(nodes, 1).start();
        while (!given.inFlight().isEmpty()) {
            given.batchSucceeds();
        }
        return given.isObserved();
    }

    private static Given request(Given given, OperatorRequest request) {
        assertThat(given.request(request)).isInstanceOf(RequestDecision.Applied.class);
        return given.plan();
    }

    private static Given rollBack(Given given) {
        return request(given, new OperatorRequest.Rollback());
    }

    /** A new machine is registered under the name: it runs the target already. */
    private static void replaceMachine(Given given, NodeId node) {
        given.fleet.retire(node);
        given.fleet.connect(node, Given.NEW.value(), Given.NEW_CONFIG.value());
    }

    private static void isSkippedAsRetired(Given given, NodeId node) {
        assertThat(given.state(node))
                .isInstanceOfSatisfying(
                        NodeState.Skipped.class,
                        skipped -> assertThat(skipped.reason()).isEqualTo(SkipReason.RETIRED));
        assertThat(given.upgrade(node).installedBy()).isZero();
        assertThat(given.received)
                .anySatisfy(
                        move -> {
                            assertThat(move.node()).isEqualTo(node);
                            assertThat(move.because().code()).isEqualTo("RETIRED");
                        });
    }

    @Test
    @DisplayName("A22: a node that succeeded and was retired does not hold up the other nodes")
    void upgradesTheOthersOfARetiredNode() {
        Given given = Given.rolling(3, 1).start().batchSucceeds();
        given.fleet.retire(FIRST);
        given.fleet.disconnect(FIRST, given.now);
        given.fleet.verdicts.remove(FIRST);

        while (!given.inFlight().isEmpty()) {
            given.batchSucceeds();
        }

        assertThat(given.isObserved().rollout.state()).isInstanceOf(RolloutState.Completed.class);
    }

    @Test
    @DisplayName("A13: a node that succeeded and was retired does not keep a rollback from its end")
    void passesARetiredNode() {
        Given given = succeeded(2);
        given.fleet.retire(SECOND);
        given.fleet.disconnect(SECOND, given.now);

        rollBack(given).restores(FIRST);

        isSkippedAsRetired(given, SECOND);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    void doesNotRestoreAnotherMachineUnderTheName() {
        Given given = succeeded(1);
        replaceMachine(given, FIRST);

        rollBack(given);

        isSkippedAsRetired(given, FIRST);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    @DisplayName("A retired node whose restore failed neither needs a clear nor is restored by one")
    void passesANodeThatWasRetiredAfterItsRestoreHadFailed() {
        Given given = rollBack(succeeded(1)).refuses(FIRST, "DISK_FULL");
        assertThat(given.request(new OperatorRequest.Rollback()))
                .isInstanceOf(RequestDecision.Refused.class);
        replaceMachine(given, FIRST);
        given.fleet.clear(FIRST);

        rollBack(given);

        isSkippedAsRetired(given, FIRST);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    @DisplayName("A23: a rollback that paused because of a node resumes when it is retired")
    void continuesAPausedRollback() {
        Given given = rollBack(succeeded(2)).refuses(SECOND, "DISK_FULL");
        given.isPausedFor(PauseReason.RESTORED_UNHEALTHY);
        given.fleet.retire(SECOND);
        given.plan();

        request(given, new OperatorRequest.Resume(0));

        given.restores(FIRST);
        isSkippedAsRetired(given, SECOND);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    @DisplayName("D14: a node in failed_rollback of an upgrade does not block once it is retired")
    void passesAFailedUpgradeOfARetiredNode() {
        Given given = Given.rolling(1, 1).start();
        given.fleet.report(
                FIRST,
                given.upgrade(FIRST).attempt(),
                AttemptOutcome.FAILED_ROLLBACK,
                "",
                "",
                "START_FAILED");
        given.plan();
        given.fleet.retire(FIRST);

        rollBack(given);

        isSkippedAsRetired(given, FIRST);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    @DisplayName("A13: a rollback restores what a retry installed on the machine that replaced it")
    void restoresTheMachineThatWasUpgradedAfterTheRetirement() {
        Given given = Given.rolling(1, 1).start().installs(FIRST);
        replaceMachine(given, FIRST);
        given.isUnhealthy(FIRST);
        given.fleet.connect(FIRST, Given.OLD.value(), Given.OLD_CONFIG.value());
        request(given, new OperatorRequest.RetryNode(FIRST));
        request(given, new OperatorRequest.Resume(0));
        given.batchSucceeds().isObserved();
        assertThat(given.upgrade(FIRST).installedBy()).isEqualTo(given.upgrade(FIRST).attempt());

        rollBack(given);

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    @DisplayName("An unhealthy node is not restored after its machine was replaced")
    void doesNotRestoreAReplacedMachineThatIsUnhealthy() {
        Given given = Given.rolling(1, 1).start();
        given.installs(FIRST);
        replaceMachine(given, FIRST);

        given.isUnhealthy(FIRST);

        assertThat(given.state(FIRST))
                .isInstanceOfSatisfying(
                        NodeState.Unreachable.class,
                        lost -> assertThat(lost.cause().code()).isEqualTo("RETIRED"));
    }

    @Test
    void doesNotRestoreAReplacedMachineThatFailedLate() {
        Given given = Given.rolling(2, 1).start().batchSucceeds();
        replaceMachine(given, FIRST);

        given.isUnhealthy(FIRST);

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Unhealthy.class);
    }

    @Test
    @DisplayName("A8: a rollout that does not roll back leaves a retired node as it is")
    void aRunningRolloutKeepsTheState() {
        Given given = Given.rolling(2, 1).start().batchSucceeds();
        given.fleet.retire(FIRST);

        given.at(Duration.ofSeconds(1)).plan();

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
    }
}
