package drover.coordinator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.RequestDecision;
import drover.coordinator.plan.step.Effect;
import drover.model.AttemptOutcome;
import drover.model.MigrationType;
import drover.model.NodeId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RolloutPlannerTest {
    private static final NodeId FIRST = Given.node(1);
    private static final NodeId SECOND = Given.node(2);

    @Test
    void sendsNothingBeforeItIsStarted() {
        Given given = Given.rolling(3, 2).plan();
        assertThat(given.last.effects()).isEmpty();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Pending.class);
    }

    @Test
    @DisplayName("A1, A5: one batch after the other, each when the one before is decided")
    void goesThroughItsBatchesOneAfterTheOther() {
        Given given = Given.rolling(3, 2).start();
        assertThat(given.inFlight()).containsExactly(FIRST, SECOND);
        given.installs(FIRST).isHealthy(FIRST);
        assertThat(given.inFlight()).containsExactly(SECOND);
        given.installs(SECOND).isHealthy(SECOND);
        assertThat(given.inFlight()).containsExactly(Given.node(3));
    }

    @Test
    @DisplayName("The history has the reason and the sentence of a refusal")
    void recordsTheReasonOfARefusal() {
        Given given = Given.rolling(1, 1).start().refuses(FIRST, "DISK_ERROR");

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Failed.class);
        assertThat(given.received)
                .extracting(Transition::because)
                .contains(new Cause("DISK_ERROR", "Because of DISK_ERROR."));
    }

    @Test
    @DisplayName("The history has what an agent reports about an attempt that succeeded")
    void recordsTheDetailOfASuccess() {
        String killed = "app did not end within 20 s of SIGTERM and was killed.";
        Given given = Given.rolling(1, 1).start();
        given.fleet.reports.put(
                FIRST,
                new AttemptStatus(
                        given.upgrade(FIRST).attempt(),
                        1_000,
                        AttemptOutcome.SUCCEEDED,
                        null,
                        "start_node",
                        100,
                        "",
                        killed,
                        Given.NEW.value(),
                        Given.NEW_CONFIG.value(),
                        "run-1"));
        given.plan();

        assertThat(given.received)
                .extracting(Transition::because)
                .contains(new Cause("INSTALLED", "The agent proved the target version. " + killed));
    }

    @Test
    @DisplayName("A11: completed only when every target is proven")
    void completesWhenEveryTargetIsVerified() {
        Given given = Given.rolling(2, 2).start().batchSucceeds().isObserved();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Completed.class);
        assertThat(given.rollout.counters().succeeded()).isEqualTo(2);
    }

    @Test
    @DisplayName("A6: at the threshold plus one it pauses and dispatches nothing more")
    void pausesWhenFailuresExceedThreshold() {
        Given given = Given.rolling(4, 1).start().fails(FIRST);
        given.isPausedFor(PauseReason.FAILURE_THRESHOLD);
        assertThat(given.inFlight()).isEmpty();
    }

    @Test
    void toleratesFailuresUpToTheThreshold() {
        Given given =
                Given.of(3, new Strategy.Rolling(1), new Threshold.Count(1), MigrationType.NONE)
                        .start()
                        .fails(FIRST);
        assertThat(given.inFlight()).containsExactly(SECOND);
    }

    @Test
    @DisplayName("A11: with failed nodes left it pauses instead of completing")
    void pausesWhenFailedNodesRemain() {
        Given given =
                Given.of(2, new Strategy.Rolling(1), new Threshold.Count(1), MigrationType.NONE)
                        .start()
                        .fails(FIRST)
                        .batchSucceeds();
        given.isPausedFor(PauseReason.FAILED_NODES_REMAIN);
    }

    @Test
    void observesTheCanaryTwiceTheHealthWaitBeforeItGoesOn() {
        Given given = Given.canary(3, MigrationType.NONE).start();
        NodeId canary = given.inFlight().getFirst();
        given.installs(canary).isHealthy(canary);
        assertThat(given.state(canary)).isInstanceOf(NodeState.Observed.class);
        given.at(Duration.ofSeconds(19)).plan();
        assertThat(given.inFlight()).containsExactly(canary);
        given.at(Duration.ofSeconds(1)).plan();
        assertThat(given.state(canary)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(given.inFlight()).hasSize(2);
    }

    @Test
    void aFailedCanaryPausesRegardlessOfTheThreshold() {
        Given given =
                Given.of(4, new Strategy.Canary(1, 2), new Threshold.Count(3), MigrationType.NONE)
                        .start();
        NodeId canary = given.inFlight().getFirst();
        given.installs(canary).isUnhealthy(canary).restores(canary);
        assertThat(given.state(canary)).isInstanceOf(NodeState.Failed.class);
        given.isPausedFor(PauseReason.CANARY_FAILED);
    }

    @Test
    @DisplayName("A9: a breaking migration waits for a person after the canary")
    void aBreakingMigrationWaitsForApproval() {
        Given given = Given.canary(3, MigrationType.BREAKING).start();
        NodeId canary = given.inFlight().getFirst();
        given.installs(canary).isHealthy(canary).at(Duration.ofSeconds(20)).plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.AwaitingApproval.class);
        assertThat(given.inFlight()).isEmpty();
        given.approve();
        given.plan();
        assertThat(given.inFlight()).hasSize(2);
    }

    @Test
    void aCanaryThatBecomesUnhealthyWhileApprovalIsAwaitedPauses() {
        Given given = Given.canary(3, MigrationType.BREAKING).start();
        NodeId canary = given.inFlight().getFirst();
        given.installs(canary).isHealthy(canary).at(Duration.ofSeconds(20)).plan();
        given.isUnhealthy(canary);
        given.isPausedFor(PauseReason.CANARY_UNHEALTHY);
        assertThat(given.approve())
                .isInstanceOfSatisfying(
                        RequestDecision.Refused.class,
                        refused ->
                                assertThat(refused.code())
                                        .isEqualTo(drover.model.RefusalCode.RESUME_FIRST));
    }

    @Test
    @DisplayName("F3: no verdict is never healthy")
    void doesNotCountANodeWithoutAVerdict() {
        Given given = Given.rolling(1, 1).start().installs(FIRST).at(Duration.ofSeconds(29)).plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Settling.class);
    }

    @Test
    @DisplayName("F1: a verdict on an earlier attempt does not count")
    void ignoresAVerdictOnAnotherAttempt() {
        Given given = Given.rolling(1, 1).start().installs(FIRST);
        given.fleet.healthy(FIRST, 0);
        given.plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Settling.class);
    }

    @Test
    void restoresAnUnhealthyNodeAndThenCountsItAsFailed() {
        Given given = Given.rolling(2, 1).start().installs(FIRST).isUnhealthy(FIRST);
        assertThat(given.state(FIRST))
                .isInstanceOfSatisfying(
                        NodeState.Restoring.class,
                        restoring -> assertThat(restoring.ofAttempt()).isEqualTo(1));
        assertThat(given.last.effects()).contains(new Effect.Command(FIRST, 2));
        given.restores(FIRST);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Failed.class);
    }

    @Test
    @DisplayName("R3: silence is not judged while the leader was blind")
    void ignoresHeartbeatGapsUntilFleetVisibilityLasts() {
        Given given = Given.rolling(1, 1).start().at(Duration.ofMinutes(10));
        given.fleet.completeSince = given.now.minusSeconds(119);
        given.plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Assigned.class);
        given.at(Duration.ofSeconds(1)).plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Unreachable.class);
    }

    @Test
    @DisplayName("R1: a deadline does not close the attempt")
    void anUnresponsiveNodeKeepsItsAttemptOpen() {
        Given given = Given.rolling(1, 1).start().at(RolloutTimeouts.STANDARD.accept()).plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Unreachable.class);
        assertThat(given.upgrade(FIRST).open()).isTrue();
    }

    @Test
    void anUnresponsiveNodeThatComesBackUpgradedIsJudgedLikeAnyOther() {
        Given given =
                Given.rolling(1, 1)
                        .start()
                        .at(RolloutTimeouts.STANDARD.accept())
                        .plan()
                        .installs(FIRST);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Settling.class);
        given.isHealthy(FIRST);
        assertThat(given.rollout.counters().succeeded()).isEqualTo(1);
    }

    @Test
    @DisplayName("R3: blind for 15 minutes pauses and touches nothing")
    void pausesAfterALongLossOfFleetVisibility() {
        Given given = Given.rolling(1, 1).start();
        given.fleet.completeSince = null;
        given.fleet.visibilityLostAt = given.now;
        given.at(Duration.ofMinutes(15)).plan();
        given.isPausedFor(PauseReason.NO_FLEET_VISIBILITY);
    }

    @Test
    @DisplayName("R3: without an evaluator nodes stay settling and the rollout pauses")
    void pausesWhenHealthIsUnavailableAtTheDeadline() {
        Given given = Given.rolling(1, 1).start().installs(FIRST);
        given.fleet.health = false;
        given.at(given.rollout.spec().noDataTimeout()).plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Settling.class);
        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
    }

    @Test
    @DisplayName("A7: an agent whose connection went mute has time to be heard over another one")
    void unresponsiveConnectionLeavesTimeForAnother() {
        Duration detected = Duration.ofSeconds(30 + 20); // the agent's pings, and their answers
        Duration connected = Duration.ofSeconds(60); // at the latest, as agents are usually set
        Given start = Given.rolling(1, 1).start().at(detected.plus(connected)).plan();
        assertThat(start.state(FIRST)).isInstanceOf(NodeState.Assigned.class);
        Given settles = Given.rolling(1, 1).start().installs(FIRST);
        settles.at(detected.plus(connected)).plan();
        assertThat(settles.rollout.spec().healthWait()).isLessThan(connected);
        assertThat(settles.state(FIRST)).isInstanceOf(NodeState.Settling.class);
        assertThat(settles.rollout.state()).isInstanceOf(RolloutState.Running.class);
    }

    @Test
    @DisplayName("A12: after a pause nothing is dispatched; what has not begun is withdrawn")
    void aPauseWithdrawsWhatHasNotStarted() {
        Given given = Given.rolling(3, 2).start().starts(FIRST);
        given.request(new OperatorRequest.Pause());
        given.plan();
        assertThat(given.last.effects()).contains(new Effect.Withdraw(SECOND, 1));
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Upgrading.class);
        given.fleet.report(
                SECOND, 1, AttemptOutcome.WITHDRAWN, Given.OLD.value(), Given.OLD_CONFIG.value());
        given.plan().installs(FIRST).isHealthy(FIRST);
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Pending.class);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(given.inFlight()).isEmpty();
    }

    @Test
    void aWithdrawnNodeIsDispatchedAgainWithAHigherNumber() {
        Given given = Given.rolling(1, 1).start();
        given.request(new OperatorRequest.Pause());
        given.plan();
        given.fleet.report(
                FIRST, 1, AttemptOutcome.WITHDRAWN, Given.OLD.value(), Given.OLD_CONFIG.value());
        given.plan();
        given.request(new OperatorRequest.Resume(0));
        given.plan();
        assertThat(given.upgrade(FIRST).attempt()).isEqualTo(2);
    }

    @Test
    @DisplayName("D9: a node that is neither source nor target is left alone")
    void skipsADriftedNode() {
        Given given = Given.rolling(2, 2);
        given.fleet.connect(FIRST, "sha256:other", Given.OLD_CONFIG.value());
        given.start();
        assertThat(given.state(FIRST))
                .isInstanceOfSatisfying(
                        NodeState.Skipped.class,
                        skipped -> assertThat(skipped.reason()).isEqualTo(SkipReason.DRIFTED));
    }

    @Test
    @DisplayName("A7: offline before its turn is deferred, then skipped, never healthy")
    void defersAnOfflineNodeAndSkipsItAtTheEnd() {
        Given given = Given.rolling(3, 1);
        given.fleet.disconnect(FIRST, Given.START.minusSeconds(61));
        given.start();
        assertThat(given.inFlight()).containsExactly(SECOND);
        given.batchSucceeds().batchSucceeds();
        assertThat(given.state(FIRST))
                .isInstanceOfSatisfying(
                        NodeState.Skipped.class,
                        skipped -> assertThat(skipped.reason()).isEqualTo(SkipReason.OFFLINE));
        given.isPausedFor(PauseReason.NODES_OFFLINE);
    }

    @Test
    void anOfflineCanaryIsReplacedByAConnectedNode() {
        Given given = Given.canary(3, MigrationType.NONE);
        NodeId canary =
                given.rollout.nodes().values().stream()
                        .filter(node -> node.batch() == 0)
                        .findFirst()
                        .orElseThrow()
                        .id();
        given.fleet.disconnect(canary, Given.START.minusSeconds(61));
        given.start();
        assertThat(given.inFlight()).hasSize(1).doesNotContain(canary);
        assertThat(given.upgrade(given.inFlight().getFirst()).batch()).isZero();
    }

    @Test
    @DisplayName("A13: a rollback touches exactly what was touched, newest batch first")
    void rollsBackNewestBatchFirst() {
        Given given = Given.rolling(3, 1).start().batchSucceeds().batchSucceeds();
        given.request(new OperatorRequest.Rollback());
        given.plan();
        fleetWithdraws(given, Given.node(3));
        given.plan();
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Restoring.class);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        given.restores(SECOND);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
        given.restores(FIRST);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
        assertThat(given.rollout.counters().rolledBack()).isEqualTo(2);
    }

    private static void fleetWithdraws(Given given, NodeId node) {
        given.fleet.report(
                node,
                given.upgrade(node).attempt(),
                AttemptOutcome.WITHDRAWN,
                Given.OLD.value(),
                Given.OLD_CONFIG.value());
        given.plan();
    }

    @Test
    void rollbackWithAnUnverifiedNodeIsIncomplete() {
        Given given = Given.rolling(1, 1).start().batchSucceeds();
        given.request(new OperatorRequest.Rollback());
        given.plan();
        given.fleet.report(
                FIRST,
                given.upgrade(FIRST).attempt(),
                AttemptOutcome.FAILED_ROLLBACK,
                "",
                "",
                "BACKUP_MISMATCH");
        given.plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.FailedRollback.class);
        assertThat(given.rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.Failed.class,
                        failed ->
                                assertThat(failed.reason())
                                        .isEqualTo(RolloutFailureReason.ROLLBACK_INCOMPLETE));
    }

    @Test
    @DisplayName("C9: an older status never replaces a later one")
    void ignoresAnOlderStatus() {
        Given given = Given.rolling(1, 1).start().installs(FIRST);
        AttemptStatus later = given.fleet.reports.get(FIRST);
        given.fleet.reports.put(
                FIRST,
                new AttemptStatus(1, 0, AttemptOutcome.FAILED, null, "", 0, "X", "X", "", "", ""));
        given.plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Settling.class);
        assertThat(later).isNotNull();
    }

    @Test
    @DisplayName("C10: every status taken in is acknowledged, for as long as its slot shows it")
    void acknowledgesWhatItTookIn() {
        Given given = Given.rolling(1, 1).start().installs(FIRST);
        assertThat(given.last.effects()).contains(new Effect.Acknowledge(FIRST, 1, 1));
    }

    @Test
    void neverGivesMoreNodesWorkThanAllowedAtOnce() {
        Given given = Given.rolling(300, 300).start();
        assertThat(given.inFlight()).hasSize(100);
    }

    @Test
    @DisplayName("D5: success needs the running digest, not the agent's word")
    void aNodeThatRunsSomethingElseIsRestored() {
        Given given = Given.rolling(1, 1).start();
        given.fleet.report(
                FIRST, 1, AttemptOutcome.SUCCEEDED, "sha256:other", Given.NEW_CONFIG.value());
        given.plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    void aRestartedNodeDuringObservationIsObservedAgain() {
        Given given = Given.canary(2, MigrationType.NONE).start();
        NodeId canary = given.inFlight().getFirst();
        given.installs(canary).isHealthy(canary);
        given.fleet.verdicts.put(canary, new HealthVerdict.Settling(1, "It restarted."));
        given.at(Duration.ofSeconds(5)).plan();
        assertThat(given.state(canary)).isInstanceOf(NodeState.Settling.class);
        given.isHealthy(canary).at(Duration.ofSeconds(19)).plan();
        assertThat(given.state(canary)).isInstanceOf(NodeState.Observed.class);
    }

    @Test
    @DisplayName("F3, R3: without the evaluator an observation is neither concluded nor begun anew")
    void anObservationOutlivesTheEvaluatorButIsNotConcludedWithoutIt() {
        Given given = Given.canary(2, MigrationType.NONE).start();
        NodeId canary = given.inFlight().getFirst();
        given.installs(canary).isHealthy(canary).at(Duration.ofSeconds(5));
        given.fleet.health = false;
        given.fleet.verdicts.clear();
        given.plan().at(Duration.ofSeconds(15)).plan();
        assertThat(given.state(canary)).isInstanceOf(NodeState.Observed.class);
        given.fleet.health = true;
        given.isHealthy(canary);
        assertThat(given.state(canary)).isInstanceOf(NodeState.Succeeded.class);
    }

    @Test
    void everyTransitionCarriesItsReason() {
        Given given = Given.rolling(2, 1).start().batchSucceeds().batchSucceeds().isObserved();
        assertThat(given.received)
                .isNotEmpty()
                .allSatisfy(
                        transition -> {
                            assertThat(transition.because().code()).isNotBlank();
                            assertThat(transition.because().sentence()).endsWith(".");
                        });
        List<String> rollout =
                given.received.stream()
                        .filter(transition -> transition.subject().equals("rollout"))
                        .map(Transition::to)
                        .toList();
        assertThat(rollout).containsExactly("running", "completed");
    }

    @Test
    @DisplayName("A18: a rollout that nobody starts expires")
    void expiresIfItIsNotStarted() {
        Given given = Given.rolling(1, 1).at(Duration.ofHours(24)).plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Failed.class);
    }

    @Test
    @DisplayName("A7, A18: offline nodes are not put behind one another for ever")
    void endsWhenMoreNodesAreOfflineThanABatchHolds() {
        Given given = Given.rolling(4, 1).start();
        given.fleet.disconnect(SECOND, given.now);
        given.fleet.disconnect(Given.node(3), given.now);
        given.fleet.disconnect(Given.node(4), given.now);
        given.at(Duration.ofMinutes(2)).installs(FIRST).isHealthy(FIRST);
        assertThat(given.rollout.counters().skipped()).isEqualTo(3);
        given.isPausedFor(PauseReason.NODES_OFFLINE);
    }

    @Test
    @DisplayName("R3: a node has its whole time again after the health-evaluator was away")
    void doesNotRestoreANodeBecauseTheEvaluatorWasUnavailable() {
        Given given = Given.rolling(1, 1).start().installs(FIRST);
        given.fleet.health = false;
        given.at(given.rollout.spec().healthTimeout().plusSeconds(10)).plan();
        given.fleet.health = true;
        given.fleet.healthSince = given.now;
        given.fleet.settling(FIRST, given.upgrade(FIRST).attempt());
        given.plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Settling.class);
        given.at(given.rollout.spec().healthTimeout()).plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
    }
}
