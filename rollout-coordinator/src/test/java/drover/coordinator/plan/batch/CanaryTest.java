package drover.coordinator.plan.batch;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.RequestDecision;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The fleet follows a canary that was tried, seen and found well, and no other. */
class CanaryTest {
    @Test
    @DisplayName("Seed 000: a canary that its agent refuses is replaced, for nobody tried it")
    void aRefusedCanaryIsReplaced() {
        Given given = Given.canary(3, MigrationType.NONE).start();
        NodeId first = given.inFlight().getFirst();
        given.refuses(first, "DRIFTED");
        assertThat(given.state(first)).isInstanceOf(NodeState.Skipped.class);
        assertThat(given.inFlight()).hasSize(1).doesNotContain(first);
        assertThat(given.rollout.batches().getFirst().phase()).isNotEqualTo(BatchPhase.PROMOTED);
    }

    @Test
    void aCanaryThatAnOperatorSkipsIsReplaced() {
        Given given = Given.canary(3, MigrationType.BREAKING).start();
        NodeId first = given.inFlight().getFirst();
        given.fails(first);
        given.request(new OperatorRequest.SkipNode(first));
        given.request(new OperatorRequest.Resume(0));
        given.plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        assertThat(given.inFlight()).hasSize(1).doesNotContain(first);
    }

    @Test
    @DisplayName(
            "A9: with everybody left alone nothing is approved; who is tried later is the canary")
    void untriedCanaryNeverPasses() {
        Given given = Given.canary(1, MigrationType.BREAKING).start();
        NodeId only = given.inFlight().getFirst();
        given.fails(only);
        given.request(new OperatorRequest.SkipNode(only));
        given.request(new OperatorRequest.Resume(0));
        given.plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Failed.class);
        assertThat(given.rollout.batches().getFirst().phase()).isNotEqualTo(BatchPhase.PROMOTED);
    }

    @Test
    @DisplayName("A9: who skips the canary while its approval is paused has nothing to approve")
    void aCanarySkippedWhilePausedIsNotApproved() {
        Given given = Given.canary(3, MigrationType.BREAKING).start();
        given.request(new OperatorRequest.Force());
        NodeId first = given.inFlight().getFirst();
        given.fails(first);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.AwaitingApproval.class);
        given.request(new OperatorRequest.Pause());
        given.request(new OperatorRequest.SkipNode(first));
        given.request(new OperatorRequest.Resume(0)); // and before anything else is planned:
        assertThat(given.request(new OperatorRequest.Approve("")))
                .isInstanceOfSatisfying(
                        RequestDecision.Refused.class,
                        refused -> assertThat(refused.code()).isEqualTo(RefusalCode.NOT_AWAITING));
        given.plan();
        assertThat(given.inFlight()).hasSize(1).doesNotContain(first);
    }

    @Test
    void canaryWaitsForTheFirstConnectedNode() {
        Given given = Given.canary(2, MigrationType.NONE).start();
        NodeId first = given.inFlight().getFirst();
        NodeId second = first.equals(Given.node(1)) ? Given.node(2) : Given.node(1);
        given.fleet.disconnect(second, given.now);
        given.refuses(first, "DRIFTED");
        assertThat(given.upgrade(second).batch()).isZero();
        given.fleet.connect(second, Given.OLD.value(), Given.OLD_CONFIG.value());
        given.plan();
        assertThat(given.inFlight()).containsExactly(second);
    }

    @Test
    @DisplayName("A7: no offline budget covers a canary that falls silent")
    void anUnresponsiveCanaryPausesRegardlessOfTheBudget() {
        Given given =
                Given.withOfflineBudget(3, new Strategy.Canary(1, 2), new Threshold.Count(2), 1);
        given.start().at(RolloutTimeouts.STANDARD.accept()).plan();
        given.isPausedFor(PauseReason.CANARY_FAILED);
        assertThat(given.request(new OperatorRequest.Resume(0)))
                .isInstanceOf(RequestDecision.Refused.class);
        assertThat(given.request(new OperatorRequest.Resume(1)))
                .isInstanceOf(RequestDecision.Applied.class);
    }

    @Test
    @DisplayName("A9: who approves is told how much of the canary is proven")
    void anAcceptedFailureIsNotCalledVerified() {
        Given given = Given.canary(3, MigrationType.BREAKING).start();
        given.fails(given.inFlight().getFirst());
        given.request(new OperatorRequest.Resume(1));
        given.plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.AwaitingApproval.class);
        assertThat(given.received.getLast().because().sentence())
                .startsWith("Of the canary's 1 node only 0 proven;");
    }

    @Test
    @DisplayName("A9: a canary that goes away while approval is awaited pauses")
    void aCanaryThatDisconnectsPausesTheApproval() {
        Given given = Given.canary(3, MigrationType.BREAKING).start();
        NodeId canary = given.inFlight().getFirst();
        given.installs(canary).isHealthy(canary).at(Duration.ofSeconds(20)).plan();
        given.fleet.disconnect(canary, given.now);
        given.plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.AwaitingApproval.class);
        given.at(Duration.ofMinutes(5)).plan();
        given.isPausedFor(PauseReason.CANARY_UNHEALTHY);
        assertThat(given.received.getLast().because().sentence()).contains("went away");
    }

    @Test
    @DisplayName("A18 R3: an observation without an evaluator does not last for ever")
    void anObservationWithoutAnEvaluatorPausesInTheEnd() {
        Given given = Given.canary(2, MigrationType.NONE).start();
        NodeId canary = given.inFlight().getFirst();
        given.installs(canary).isHealthy(canary).at(Duration.ofSeconds(5));
        given.fleet.health = false;
        given.fleet.verdicts.clear();
        given.plan();
        assertThat(given.last.wakeAt()).isNotNull();
        given.at(Duration.ofHours(1)).plan();
        assertThat(given.state(canary)).isInstanceOf(NodeState.Observed.class);
        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
    }

    @Test
    @DisplayName("A6: a failure that is gone is not accepted in advance for the next one")
    void acceptedFailuresDoNotOutliveTheirFailures() {
        Given given = Given.rolling(3, 1).start();
        given.fails(Given.node(1));
        given.request(new OperatorRequest.Resume(1));
        given.request(new OperatorRequest.RetryNode(Given.node(1)));
        given.plan();
        given.batchSucceeds().batchSucceeds();
        given.fails(given.inFlight().getFirst());
        assertThat(given.rollout.acknowledgedFailures()).isZero();
        given.isPausedFor(PauseReason.FAILURE_THRESHOLD);
    }

    @Test
    @DisplayName("A11: what the rollout installed and never proved well is judged when tried again")
    void anInstalledNodeThatIsTriedAgainIsVerified() {
        NodeId node = Given.node(1);
        Given given = Given.rolling(1, 1).start().installs(node);
        losesHeartbeatsWhileSettling(given, node);
        given.request(new OperatorRequest.RetryNode(node));
        given.request(new OperatorRequest.Resume(given.rollout.thresholdFailureCount()));
        given.plan();
        assertThat(given.state(node)).isInstanceOf(NodeState.Assigned.class);
        long first = given.upgrade(node).installedBy();
        given.installs(node);
        assertThat(given.upgrade(node).installedBy()).isEqualTo(first);
        given.isUnhealthy(node);
        assertThat(given.state(node))
                .isInstanceOfSatisfying(
                        NodeState.Restoring.class,
                        restoring ->
                                assertThat(given.upgrade(node).installedBy()).isEqualTo(first));
    }

    @Test
    @DisplayName("A13: a rollback brings back what was installed and then skipped")
    void aSkippedNodeThatWasModifiedIsBroughtBack() {
        NodeId node = Given.node(1);
        Given given = Given.rolling(1, 1).start().installs(node);
        losesHeartbeatsWhileSettling(given, node);
        given.request(new OperatorRequest.SkipNode(node));
        given.request(new OperatorRequest.Rollback());
        given.plan();
        assertThat(given.state(node)).isInstanceOf(NodeState.Restoring.class);
        given.restores(node);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    private static void losesHeartbeatsWhileSettling(Given given, NodeId node) {
        given.fleet.disconnect(node, given.now);
        given.at(Duration.ofMinutes(10)).plan();
        assertThat(given.state(node)).isInstanceOf(NodeState.Unreachable.class);
        given.fleet.connect(node, Given.NEW.value(), Given.NEW_CONFIG.value());
        given.plan();
    }
}
