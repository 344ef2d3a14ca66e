package drover.coordinator.plan.batch;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.RolloutPlanner;
import drover.coordinator.plan.StepViolationFinder;
import drover.coordinator.plan.explain.RolloutExplainer;
import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange.CloseMatching;
import drover.coordinator.plan.incident.IncidentChange.Open;
import drover.coordinator.plan.model.ExpectedFailureReasons;
import drover.coordinator.plan.model.FailureAction;
import drover.coordinator.plan.model.NodeOrder;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.RolloutPolicy;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.NodeView.ProgramHealth.Level;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.RequestDecision;
import drover.coordinator.plan.step.Effect;
import drover.coordinator.plan.step.Step;
import drover.model.AttemptOutcome;
import drover.model.MigrationType;
import drover.model.NodeId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A22: a rollout is responsible for every node that it modified, until it ends. */
class LateFailureRulesTest {
    private static final NodeId FIRST = Given.node(1);
    private static final NodeId SECOND = Given.node(2);
    private static final NodeId THIRD = Given.node(3);
    private static final Cause CRASHES = new Cause("CRASH_LOOP", "It restarted 3 times.");
    private static final Cause CRITICAL = new Cause("APPLICATION_CRITICAL", "It is critical.");

    private final Given given = Given.rolling(3, 1).start().batchSucceeds();

    private void finds(NodeId node, Cause finding) {
        given.fleet.unhealthy(node, given.upgrade(node).attempt(), finding);
        given.plan();
    }

    @Test
    void aNodeThatSucceededIsWatched() {
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(given.last.effects())
                .anyMatch(effect -> effect instanceof Effect.Watch && effect.node().equals(FIRST));
    }

    @Test
    @DisplayName("A22: a node that becomes unhealthy counts against the threshold and pauses")
    void pausesBeforeTheNextBatch() {
        finds(FIRST, CRITICAL);

        assertThat(given.state(FIRST))
                .isInstanceOfSatisfying(
                        NodeState.Unhealthy.class,
                        late -> assertThat(late.cause().code()).isEqualTo("APPLICATION_CRITICAL"));
        given.isPausedFor(PauseReason.SUCCEEDED_UNHEALTHY);
        assertThat(given.rollout.counters().failed()).isEqualTo(1);
        assertThat(given.rollout.counters().succeeded()).isZero();
        given.installs(SECOND).isHealthy(SECOND);
        assertThat(given.state(THIRD)).isInstanceOf(NodeState.Pending.class);
    }

    @Test
    void opensAnIncidentThatRecoveryCloses() {
        finds(FIRST, CRITICAL);
        assertThat(given.incidents)
                .anySatisfy(
                        change ->
                                assertThat(change)
                                        .isInstanceOfSatisfying(
                                                Open.class,
                                                open -> {
                                                    assertThat(open.category())
                                                            .isEqualTo(
                                                                    IncidentCategory
                                                                            .NODE_UNHEALTHY);
                                                    assertThat(open.node()).isEqualTo(FIRST);
                                                }));
        given.incidents.clear();

        given.isHealthy(FIRST);

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(given.incidents)
                .anySatisfy(
                        change ->
                                assertThat(change)
                                        .isInstanceOfSatisfying(
                                                CloseMatching.class,
                                                close ->
                                                        assertThat(close.categories())
                                                                .contains(
                                                                        IncidentCategory
                                                                                .NODE_UNHEALTHY)));
    }

    @Test
    void resumesWithoutAcknowledgementOnceItIsHealthy() {
        finds(FIRST, CRITICAL);
        assertThat(given.request(new OperatorRequest.Resume(0)))
                .isInstanceOf(RequestDecision.Refused.class);
        given.isHealthy(FIRST);
        assertThat(given.request(new OperatorRequest.Resume(0)))
                .isInstanceOf(RequestDecision.Applied.class);
        given.plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
    }

    private static Given tolerant() {
        return Given.of(3, new Strategy.Rolling(1), new Threshold.Count(2), MigrationType.NONE)
                .start()
                .batchSucceeds();
    }

    private static void isCritical(Given given, NodeId node) {
        given.fleet.unhealthy(node, given.upgrade(node).attempt(), CRITICAL);
        given.plan();
    }

    @Test
    @DisplayName("A22: the first late failure pauses within the threshold, too")
    void pausesAtTheFirstLateFailureWithinTheThreshold() {
        Given tolerant = tolerant();
        isCritical(tolerant, FIRST);

        tolerant.isPausedFor(PauseReason.SUCCEEDED_UNHEALTHY);
        assertThat(tolerant.received.getLast().because().sentence())
                .isEqualTo("Node node-01: Unhealthy after it had succeeded: It is critical.");
        assertThat(tolerant.request(new OperatorRequest.Resume(0)))
                .isInstanceOf(RequestDecision.Refused.class);
        assertThat(RolloutExplainer.rolloutReason(tolerant.rollout, tolerant.fleet).sentence())
                .contains("node node-01", "resume acknowledging 1");
    }

    @Test
    @DisplayName("A22: an acknowledged late failure does not pause again; the next one does")
    void continuesOnceTheOperatorAcknowledgedIt() {
        Given tolerant = tolerant();
        isCritical(tolerant, FIRST);
        tolerant.request(new OperatorRequest.Resume(1));
        tolerant.plan().batchSucceeds();

        assertThat(tolerant.rollout.state()).isInstanceOf(RolloutState.Running.class);
        assertThat(tolerant.state(SECOND)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(tolerant.inFlight()).containsExactly(THIRD);
        isCritical(tolerant, SECOND);
        tolerant.isPausedFor(PauseReason.SUCCEEDED_UNHEALTHY);
        tolerant.request(new OperatorRequest.Resume(2));
        tolerant.plan().batchSucceeds();
        tolerant.isPausedFor(PauseReason.FAILED_NODES_REMAIN);
    }

    @Test
    void anAcknowledgedNodeThatRecoversAndFailsAgainPausesAgain() {
        Given tolerant = tolerant();
        isCritical(tolerant, FIRST);
        tolerant.request(new OperatorRequest.Resume(1));
        tolerant.plan().isHealthy(FIRST);
        isCritical(tolerant, FIRST);
        tolerant.isPausedFor(PauseReason.SUCCEEDED_UNHEALTHY);
    }

    @Test
    void aFailureWithinTheThresholdDoesNotPauseAfterALateOneWasAcknowledged() {
        Given tolerant = tolerant();
        isCritical(tolerant, FIRST);
        tolerant.request(new OperatorRequest.Resume(1));
        tolerant.plan().fails(SECOND);
        assertThat(tolerant.rollout.state()).isInstanceOf(RolloutState.Running.class);
        assertThat(tolerant.inFlight()).containsExactly(THIRD);
    }

    @Test
    void aForcedRolloutContinuesWithALateFailure() {
        given.request(new OperatorRequest.Force());
        finds(FIRST, CRITICAL);
        given.batchSucceeds();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        assertThat(given.inFlight()).containsExactly(THIRD);
    }

    @Test
    @DisplayName("A22: no further node is upgraded while one must become healthy, whatever fails")
    void waitsWithinTheThresholdForANodeThatMustBecomeHealthy() {
        Given tolerant = tolerant();
        tolerant.fleet.settling(FIRST, tolerant.upgrade(FIRST).attempt());
        tolerant.fleet.notHealthySince.put(FIRST, tolerant.now);
        tolerant.plan().batchSucceeds();
        assertThat(tolerant.inFlight()).isEmpty();
        assertThat(RolloutExplainer.rolloutReason(tolerant.rollout, tolerant.fleet).code())
                .isEqualTo("WAITING_FOR_HEALTH");
        tolerant.isHealthy(FIRST);
        assertThat(tolerant.inFlight()).containsExactly(THIRD);
    }

    @Test
    @DisplayName("R3: no further node is upgraded while there is no data, whatever the threshold")
    void waitsWithinTheThresholdForData() {
        Given tolerant = tolerant();
        tolerant.fleet.verdicts.remove(FIRST);
        tolerant.plan().batchSucceeds();
        assertThat(tolerant.inFlight()).isEmpty();
    }

    @Test
    @DisplayName("A22: the independent check finds a dispatch next to a node that is not healthy")
    void theCheckFindsADispatchNextToAnUnhealthyNode() {
        given.installs(SECOND);
        given.fleet.healthy(SECOND, given.upgrade(SECOND).attempt());
        Step dispatch =
                RolloutPlanner.plan(
                        given.rollout, given.fleet, RolloutTimeouts.STANDARD, given.now);
        assertThat(dispatch.attempts()).hasSize(1);
        assertThat(StepViolationFinder.findViolations(given.rollout, dispatch, given.fleet))
                .isEmpty();

        given.fleet.settling(FIRST, given.upgrade(FIRST).attempt());
        assertThat(StepViolationFinder.findViolations(given.rollout, dispatch, given.fleet))
                .containsExactly("A22: dispatched although node node-01 is not healthy");
        given.fleet.verdicts.remove(FIRST);
        assertThat(StepViolationFinder.findViolations(given.rollout, dispatch, given.fleet))
                .containsExactly("A22: dispatched although node node-01 is not healthy");
    }

    private Step dispatchOfTheThirdNode() {
        given.installs(SECOND);
        given.fleet.healthy(SECOND, given.upgrade(SECOND).attempt());
        return RolloutPlanner.plan(given.rollout, given.fleet, RolloutTimeouts.STANDARD, given.now);
    }

    private void checkFinds(Step dispatch, String violation) {
        assertThat(StepViolationFinder.findViolations(given.rollout, dispatch, given.fleet))
                .containsExactly(violation);
    }

    @Test
    @DisplayName("A22, A7: the independent check knows nodes with an attempt of another rollout")
    void theCheckFindsADispatchNextToANodeWithoutAReport() {
        Step dispatch = dispatchOfTheThirdNode();
        isUpgradedByAnotherRollout(FIRST);
        checkFinds(dispatch, "A22: dispatched although node node-01 is not healthy");
        given.fleet.reports(FIRST, Level.UNKNOWN, given.now);
        checkFinds(dispatch, "A22: dispatched although node node-01 is not healthy");
        given.fleet.disconnect(FIRST, given.now);
        checkFinds(dispatch, "A7: 1 nodes that succeeded are offline");
    }

    @Test
    @DisplayName(
            "A24, A7: the independent check knows nodes that were tried and targets without data")
    void theCheckFindsADispatchNextToATargetThatIsNotHealthy() {
        given.starts(SECOND).fails(SECOND);
        given.request(new OperatorRequest.RetryNode(SECOND));
        given.request(new OperatorRequest.HoldNode(SECOND, given.now.plusSeconds(3600)));
        given.request(new OperatorRequest.Resume(0));
        Step dispatch =
                RolloutPlanner.plan(
                        given.rollout, given.fleet, RolloutTimeouts.STANDARD, given.now);
        assertThat(dispatch.attempts()).hasSize(1);
        given.fleet.reports(SECOND, Level.CRITICAL, given.now);
        checkFinds(dispatch, "A24: dispatched with 1 unhealthy targets");
        given.fleet.reports(SECOND, Level.UNKNOWN, given.now);
        checkFinds(dispatch, "A7: dispatched with 1 targets without health data");
    }

    @Test
    @DisplayName("R3: time without data does not count as time unhealthy")
    void timeWithoutDataDoesNotCount() {
        given.fleet.verdicts.remove(FIRST);
        given.fleet.notHealthySince.put(FIRST, given.now);
        given.plan().at(Duration.ofSeconds(60)).plan();
        given.fleet.settling(FIRST, given.upgrade(FIRST).attempt());
        given.fleet.receivedSince.put(FIRST, given.now);
        given.plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(given.last.wakeAt()).isEqualTo(given.now.plusSeconds(30));

        given.at(Duration.ofSeconds(29)).plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        given.at(Duration.ofSeconds(1)).plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Unhealthy.class);
    }

    @Test
    @DisplayName("R3: no node fails late before the fleet has been visible for 2 minutes")
    void withoutFleetVisibilityNoDeadlineIsEvaluated() {
        given.fleet.settling(FIRST, given.upgrade(FIRST).attempt());
        given.fleet.notHealthySince.put(FIRST, given.now);
        given.fleet.completeSince = given.now;
        given.at(Duration.ofSeconds(119)).plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(given.last.wakeAt()).isEqualTo(given.now.plusSeconds(1));
        given.at(Duration.ofSeconds(1)).plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Unhealthy.class);
    }

    @Test
    void aConclusiveFindingThatFollowsAnotherOneRestoresTheNode() {
        finds(FIRST, CRITICAL);
        given.fleet.verdicts.put(
                FIRST,
                new HealthVerdict.Unhealthy(
                        given.upgrade(FIRST).attempt(), List.of(CRITICAL, CRASHES)));
        given.plan();
        assertThat(given.state(FIRST))
                .isInstanceOfSatisfying(
                        NodeState.Unhealthy.class,
                        late -> assertThat(late.cause().code()).isEqualTo("CRASH_LOOP"));

        given.starts(SECOND).fails(SECOND);

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    @DisplayName("R3: an earlier finding restores nothing while there is no data")
    void withoutDataNothingIsRestored() {
        finds(FIRST, CRASHES);
        given.fleet.verdicts.remove(FIRST);
        given.starts(SECOND).fails(SECOND);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Unhealthy.class);
    }

    @Test
    void aFindingThatIsNoLongerConclusiveRestoresNothing() {
        finds(FIRST, CRASHES);
        finds(FIRST, CRITICAL);
        given.starts(SECOND).fails(SECOND);
        assertThat(given.state(FIRST))
                .isInstanceOfSatisfying(
                        NodeState.Unhealthy.class,
                        late -> assertThat(late.cause().code()).isEqualTo("APPLICATION_CRITICAL"));
    }

    @Test
    void conclusiveFindingRestoresTheNodeWhenTheBatchHasSpace() {
        finds(FIRST, CRASHES);
        assertThat(given.state(FIRST))
                .as("A21: the second node is in flight")
                .isInstanceOf(NodeState.Unhealthy.class);
        given.starts(SECOND).fails(SECOND);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
        given.restores(FIRST);
        assertThat(given.state(FIRST))
                .isInstanceOfSatisfying(
                        NodeState.Failed.class,
                        failed -> assertThat(failed.cause().code()).isEqualTo("CRASH_LOOP"));
    }

    @Test
    @DisplayName(
            "A22: a node that must become healthy again holds up further nodes, with a deadline")
    void waitsForANodeThatRecoversAndThenCountsIt() {
        given.fleet.settling(FIRST, given.upgrade(FIRST).attempt());
        given.fleet.notHealthySince.put(FIRST, given.now);
        given.plan().batchSucceeds();
        assertThat(given.inFlight()).as("the third node waits").isEmpty();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        assertThat(RolloutExplainer.rolloutReason(given.rollout, given.fleet).code())
                .isEqualTo("WAITING_FOR_HEALTH");
        assertThat(given.last.wakeAt()).isEqualTo(given.now.plusSeconds(30));

        given.at(Duration.ofSeconds(30)).plan();

        given.isPausedFor(PauseReason.SUCCEEDED_UNHEALTHY);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Unhealthy.class);
    }

    @Test
    void continuesOnceItIsHealthyAgain() {
        given.fleet.settling(FIRST, given.upgrade(FIRST).attempt());
        given.fleet.notHealthySince.put(FIRST, given.now);
        given.plan().batchSucceeds();
        given.isHealthy(FIRST);
        assertThat(given.inFlight()).containsExactly(THIRD);
    }

    @Test
    @DisplayName("R3: missing data fails no node; the rollout waits and then pauses")
    void withoutDataItPausesAndFailsNoNode() {
        given.fleet.verdicts.remove(FIRST);
        given.fleet.notHealthySince.put(FIRST, given.now);
        given.plan().batchSucceeds();
        assertThat(given.inFlight()).isEmpty();

        given.at(Duration.ofMinutes(2)).plan();

        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(given.rollout.counters().failed()).isZero();
        assertThat(RolloutExplainer.rolloutReason(given.rollout, given.fleet).sentence())
                .startsWith("Of node node-01 nothing is heard: No verdict yet.");
    }

    @Test
    @DisplayName(
            "R3, A7: a node that went offline after it succeeded counts against the offline budget")
    void offlineNodesBeyondTheBudgetPause() {
        given.fleet.disconnect(FIRST, given.now);
        given.fleet.verdicts.remove(FIRST);
        given.plan().batchSucceeds();
        assertThat(RolloutExplainer.rolloutReason(given.rollout, given.fleet).code())
                .isEqualTo("WAITING_FOR_HEALTH");
        given.at(Duration.ofMinutes(2)).plan();
        given.isPausedFor(PauseReason.NODES_OFFLINE);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
    }

    @Test
    @DisplayName("A7: resume accepts the offline nodes that the gate counts, unreachable ones too")
    void resumeAcceptsWhatTheGateCounts() {
        Given tolerant =
                Given.of(3, new Strategy.Rolling(1), new Threshold.Count(1), MigrationType.NONE)
                        .start()
                        .batchSucceeds();
        tolerant.fleet.disconnect(FIRST, tolerant.now);
        tolerant.fleet.verdicts.remove(FIRST);
        tolerant.at(RolloutTimeouts.STANDARD.accept()).plan();
        assertThat(tolerant.state(SECOND)).isInstanceOf(NodeState.Unreachable.class);
        tolerant.at(Duration.ofMinutes(2)).plan();
        tolerant.isPausedFor(PauseReason.NODES_OFFLINE);

        assertThat(tolerant.request(new OperatorRequest.Resume(0)))
                .isInstanceOf(RequestDecision.Applied.class);
        tolerant.plan();

        assertThat(tolerant.rollout.state()).isInstanceOf(RolloutState.Running.class);
        assertThat(tolerant.inFlight()).containsExactly(THIRD);
    }

    private void isUpgradedByAnotherRollout(NodeId node) {
        long later = given.fleet.reservation(node).lastAttempt() + 1;
        given.fleet.guards.put(node, new FleetView.NodeAttemptsAndReservation(later, null, false));
        given.fleet.verdicts.remove(node);
    }

    @ParameterizedTest
    @EnumSource(names = {"CRITICAL", "DOWN", "CRASH_LOOP"})
    @DisplayName("A22: after an attempt of another rollout, the reported health decides")
    void theReportedHealthDecidesAfterAnAttemptOfAnotherRollout(Level level) {
        isUpgradedByAnotherRollout(FIRST);
        given.fleet.reports(FIRST, level, given.now);
        given.plan();
        given.isPausedFor(PauseReason.SUCCEEDED_UNHEALTHY);
    }

    @Test
    void aHealthyReportAfterAnAttemptOfAnotherRolloutIsEnough() {
        isUpgradedByAnotherRollout(FIRST);
        given.fleet.reports(FIRST, Level.HEALTHY, given.now);
        given.plan().batchSucceeds();
        assertThat(given.inFlight()).containsExactly(THIRD);
    }

    @Test
    @DisplayName("R3, A7: a node with an attempt of another rollout counts when it is offline")
    void anOfflineNodeWithAnAttemptOfAnotherRolloutCounts() {
        isUpgradedByAnotherRollout(FIRST);
        given.fleet.disconnect(FIRST, given.now);
        given.plan().batchSucceeds();
        assertThat(given.inFlight()).isEmpty();
        given.at(Duration.ofMinutes(2)).plan();
        given.isPausedFor(PauseReason.NODES_OFFLINE);
    }

    @Test
    @DisplayName("R3: a node with an attempt of another rollout and no data holds up the rollout")
    void aNodeWithoutDataAndWithAnAttemptOfAnotherRolloutHoldsUpTheRollout() {
        given.at(Duration.ofSeconds(50));
        isUpgradedByAnotherRollout(FIRST);
        given.fleet.reports(FIRST, Level.UNKNOWN, given.now);
        given.plan().batchSucceeds();
        assertThat(given.inFlight()).isEmpty();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        given.at(Duration.ofMinutes(2)).plan();
        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(RolloutExplainer.rolloutReason(given.rollout, given.fleet).sentence())
                .contains("node-01", "web is UNKNOWN.");
    }

    @Test
    @DisplayName("R3: a rollout does not complete while a node without a report may be unhealthy")
    void doesNotCompleteWithoutAReportAfterAnAttemptOfAnotherRollout() {
        given.batchSucceeds().batchSucceeds();
        isUpgradedByAnotherRollout(FIRST);
        given.isObserved();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        given.fleet.reports(FIRST, Level.HEALTHY, given.now);
        given.plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Completed.class);
    }

    @Test
    @DisplayName("A7: what was accepted does not cover a node that goes offline later")
    void anAcceptanceOfOfflineNodesEndsWhenTheyReturn() {
        NodeView connected = given.fleet.node(FIRST);
        given.fleet.disconnect(FIRST, given.now);
        given.fleet.verdicts.remove(FIRST);
        given.plan().batchSucceeds().at(Duration.ofMinutes(2)).plan();
        given.isPausedFor(PauseReason.NODES_OFFLINE);
        given.request(new OperatorRequest.Resume(0));
        given.plan();
        assertThat(given.inFlight()).containsExactly(THIRD);
        assertThat(given.rollout.acceptedOffline()).isEqualTo(1);

        given.fleet.nodes.put(FIRST, connected);
        given.isHealthy(FIRST);
        assertThat(given.rollout.acceptedOffline()).isZero();

        given.fleet.disconnect(SECOND, given.now);
        given.fleet.verdicts.remove(SECOND);
        given.plan().batchSucceeds().isObserved();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        given.at(Duration.ofMinutes(2)).plan();
        given.isPausedFor(PauseReason.NODES_OFFLINE);
    }

    @Test
    @DisplayName("R3: an acceptance of offline nodes outlives a loss of fleet visibility")
    void anAcceptanceOfOfflineNodesOutlivesALossOfVisibility() {
        given.fleet.disconnect(FIRST, given.now);
        given.fleet.verdicts.remove(FIRST);
        given.plan().batchSucceeds().at(Duration.ofMinutes(2)).plan();
        given.request(new OperatorRequest.Resume(0));
        NodeView offline = given.fleet.node(FIRST);
        given.fleet.completeSince = null;
        given.fleet.nodes.remove(FIRST);
        given.plan();
        given.fleet.completeSince = given.now;
        given.plan();
        given.fleet.nodes.put(FIRST, offline);
        given.plan();
        assertThat(given.inFlight()).containsExactly(THIRD);
        assertThat(given.rollout.acceptedOffline()).isEqualTo(1);
    }

    @Test
    void offlineNodesWithinTheBudgetDoNotHoldItUp() {
        Given tolerant =
                Given.withOfflineBudget(3, new Strategy.Rolling(1), new Threshold.Count(0), 1)
                        .start()
                        .batchSucceeds();
        tolerant.fleet.disconnect(FIRST, tolerant.now);
        tolerant.fleet.verdicts.remove(FIRST);
        tolerant.plan().batchSucceeds();
        assertThat(tolerant.inFlight()).containsExactly(THIRD);
    }

    @Test
    @DisplayName("A22: the last batch is observed before the rollout completes")
    void completesOnlyAfterTheLastNodesWereObserved() {
        given.batchSucceeds().batchSucceeds();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        assertThat(RolloutExplainer.rolloutReason(given.rollout, given.fleet).code())
                .isEqualTo("OBSERVING");
        assertThat(given.last.wakeAt())
                .as("twice the health wait of 10 s")
                .isEqualTo(given.now.plusSeconds(20));

        given.at(Duration.ofSeconds(19)).plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        given.at(Duration.ofSeconds(1)).plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Completed.class);
    }

    @Test
    void aLateFailureOfTheLastNodePausesInsteadOfCompleting() {
        given.batchSucceeds().batchSucceeds();
        finds(THIRD, CRITICAL);
        given.isObserved();
        given.isPausedFor(PauseReason.SUCCEEDED_UNHEALTHY);
    }

    @Test
    void doesNotCompleteWhileANodeMustBecomeHealthyAgain() {
        given.batchSucceeds().batchSucceeds();
        given.fleet.settling(THIRD, given.upgrade(THIRD).attempt());
        given.fleet.notHealthySince.put(THIRD, given.now.plusSeconds(19));
        given.isObserved();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        given.isHealthy(THIRD);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Completed.class);
    }

    @Test
    void anUnhealthyNodeIsRetriedOrSkippedOnRequest() {
        finds(FIRST, CRITICAL);
        given.request(new OperatorRequest.SkipNode(FIRST));
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Skipped.class);
        given.request(new OperatorRequest.RetryNode(FIRST));
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Pending.class);
    }

    @Test
    @DisplayName("D17: an upgrade that was restored locally on the node counts as failed")
    void anUpgradeRestoredOnTheNodeIsFailed() {
        given.fleet.report(
                FIRST,
                given.upgrade(FIRST).attempt(),
                AttemptOutcome.FAILED,
                Given.OLD.value(),
                Given.OLD_CONFIG.value(),
                "ROLLED_BACK_LOCALLY");
        given.plan();
        assertThat(given.state(FIRST))
                .isInstanceOfSatisfying(
                        NodeState.Failed.class,
                        failed -> assertThat(failed.cause().code()).isEqualTo("TAKEN_BACK"));
        assertThat(given.upgrade(FIRST).installedBy()).isZero();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Paused.class);
    }

    @Test
    void anEndedRolloutEvaluatesNothing() {
        given.batchSucceeds().batchSucceeds().isObserved();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Completed.class);
        finds(FIRST, CRASHES);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
    }

    @Test
    void withOnFailureRollbackALateFailureRollsBack() {
        Given automatic = Given.rolling(3, 1);
        automatic.rollout =
                automatic.rollout.withSpec(
                        automatic
                                .rollout
                                .spec()
                                .withPolicy(
                                        new RolloutPolicy(
                                                FailureAction.ROLLBACK,
                                                null,
                                                ExpectedFailureReasons.NONE,
                                                RollbackHealthPolicy.ASK,
                                                0,
                                                NodeOrder.DEFAULT)));
        automatic.start().batchSucceeds();
        automatic.fleet.unhealthy(FIRST, automatic.upgrade(FIRST).attempt(), CRITICAL);
        automatic.plan();
        assertThat(automatic.rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.RollingBack.class,
                        back -> assertThat(back.health()).isEqualTo(RollbackHealthPolicy.ASK));
    }
}
