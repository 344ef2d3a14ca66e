package drover.coordinator.plan.health;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange.Open;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.NodeView.ProgramHealth.Level;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.RequestDecision;
import drover.coordinator.plan.step.Effect;
import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A23: a rollback has a health gate per batch, with a deadline and a declared action after it. */
class RestoredNodeHealthGateTest {
    private static final NodeId FIRST = Given.node(1);
    private static final NodeId SECOND = Given.node(2);
    private static final NodeId THIRD = Given.node(3);
    private static final Duration HEALTH_DEADLINE = Duration.ofSeconds(30);
    private static final Duration NO_DATA_LIMIT = Duration.ofMinutes(2);
    private static final Duration FIRST_HEARTBEAT = Duration.ofSeconds(60);

    private static Given rollingBack(int batchSize, RollbackHealthPolicy health) {
        Given given = Given.rolling(3, batchSize).start();
        while (!given.inFlight().isEmpty()) {
            given.batchSucceeds();
        }
        given.isObserved();
        given.request(new OperatorRequest.Rollback(Optional.of(health)));
        return given.plan();
    }

    @Test
    @DisplayName("A23: the next node is not stopped before the restored one is healthy")
    void waitsForTheHealthOfEachRestoredNode() {
        Given given = rollingBack(1, RollbackHealthPolicy.WAIT);
        assertThat(given.state(THIRD)).isInstanceOf(NodeState.Restoring.class);

        given.restoresUnobserved(THIRD);

        assertThat(given.state(THIRD)).isInstanceOf(NodeState.Restored.class);
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(given.last.effects())
                .anySatisfy(
                        effect ->
                                assertThat(effect)
                                        .isInstanceOfSatisfying(
                                                Effect.Watch.class,
                                                watch -> {
                                                    assertThat(watch.node()).isEqualTo(THIRD);
                                                    assertThat(watch.digest()).isEqualTo(Given.OLD);
                                                    assertThat(watch.config())
                                                            .isEqualTo(Given.OLD_CONFIG);
                                                }));
        given.isHealthy(THIRD);
        assertThat(given.state(THIRD)).isInstanceOf(NodeState.RolledBack.class);
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    void endsRolledBackOnlyAfterTheLastHealthGate() {
        Given given = rollingBack(3, RollbackHealthPolicy.WAIT);
        given.restoresUnobserved(FIRST).restoresUnobserved(SECOND).restoresUnobserved(THIRD);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RollingBack.class);
        given.isHealthy(FIRST).isHealthy(SECOND).isHealthy(THIRD);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    @DisplayName("A23: a restored node that stays unhealthy pauses the rollback at its deadline")
    void pausesAtTheDeadlineOfAnUnhealthyNode() {
        Given given = rollingBack(1, RollbackHealthPolicy.WAIT).restoresUnobserved(THIRD);
        given.isUnhealthy(THIRD).at(HEALTH_DEADLINE.minusSeconds(1)).plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RollingBack.class);
        given.at(Duration.ofSeconds(1)).plan();

        given.isPausedFor(PauseReason.RESTORED_UNHEALTHY);
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(given.state(THIRD))
                .isInstanceOfSatisfying(
                        NodeState.RolledBack.class, back -> assertThat(back.finding()).isPresent());
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
                                                    assertThat(open.node()).isEqualTo(THIRD);
                                                }));
    }

    @Test
    @DisplayName("A23: also with batch size 2, and while the other node of the batch is in flight")
    void aRestoredNodeThatIsNotHealthyByTheDeadlinePausesTheRollback() {
        Given given = rollingBack(2, RollbackHealthPolicy.WAIT).restoresUnobserved(THIRD);
        given.fleet.settling(THIRD, given.upgrade(THIRD).attempt());
        given.fleet.receivedSince.put(THIRD, given.now);
        given.at(HEALTH_DEADLINE.minusSeconds(1)).plan();
        assertThat(given.state(THIRD)).isInstanceOf(NodeState.Restored.class);

        given.at(Duration.ofSeconds(1)).plan();

        assertThat(given.state(THIRD)).isInstanceOf(NodeState.RolledBack.class);
        given.isPausedFor(PauseReason.RESTORED_UNHEALTHY);
        assertThat(hasUnhealthyIncident(given, THIRD)).isTrue();
    }

    @Test
    @DisplayName("A23: a rollback continues when the unhealthy node recovers before its deadline")
    void continuesWhenTheNodeRecoversInTime() {
        Given given = rollingBack(1, RollbackHealthPolicy.WAIT).restoresUnobserved(THIRD);
        given.isUnhealthy(THIRD);
        assertThat(hasUnhealthyIncident(given, THIRD)).isTrue();
        given.at(Duration.ofSeconds(10)).isHealthy(THIRD);
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Restoring.class);
    }

    private static boolean hasUnhealthyIncident(Given given, NodeId node) {
        return given.incidents.stream()
                .anyMatch(
                        change ->
                                change instanceof Open open
                                        && open.category() == IncidentCategory.NODE_UNHEALTHY
                                        && node.equals(open.node()));
    }

    @ParameterizedTest
    @EnumSource(names = {"WAIT", "ASK"})
    @DisplayName("A23: an unhealthy node of the last batch pauses the rollback before its end")
    void pausesBeforeTheEnd(RollbackHealthPolicy health) {
        Given given = rollingBack(3, health).restores(FIRST).restores(SECOND);
        given.restoresUnobserved(THIRD).isUnhealthy(THIRD).at(HEALTH_DEADLINE).plan();

        given.isPausedFor(PauseReason.RESTORED_UNHEALTHY);
        given.request(new OperatorRequest.Resume(1));
        given.plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
        assertThat(given.received.getLast().because().sentence())
                .endsWith("not verified healthy: 1 node.");
    }

    @Test
    @DisplayName("A23: with ignore, the last batch has its incident before the rollback ends")
    void ignoreOpensTheIncidentOfTheLastBatch() {
        Given given = rollingBack(3, RollbackHealthPolicy.IGNORE);
        given.restoresUnobserved(FIRST).restoresUnobserved(SECOND).restoresUnobserved(THIRD);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RollingBack.class);

        given.isHealthy(FIRST).isHealthy(SECOND).isUnhealthy(THIRD);

        assertThat(hasUnhealthyIncident(given, THIRD)).isTrue();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    @DisplayName("A23: with ignore, a node that is not healthy by its deadline has its incident")
    void ignoreWaitsForTheVerdictUntilTheDeadline() {
        Given given = rollingBack(3, RollbackHealthPolicy.IGNORE);
        given.restoresUnobserved(FIRST).restoresUnobserved(SECOND).restoresUnobserved(THIRD);
        given.isHealthy(FIRST).isHealthy(SECOND);
        given.fleet.settling(THIRD, given.upgrade(THIRD).attempt());
        given.fleet.receivedSince.put(THIRD, given.now);
        given.plan();
        assertThat(given.last.wakeAt()).isEqualTo(given.now.plus(HEALTH_DEADLINE));

        given.at(HEALTH_DEADLINE).plan();

        assertThat(hasUnhealthyIncident(given, THIRD)).isTrue();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    @DisplayName("A23, R3: with ignore, a node without health data does not delay the end for ever")
    void ignoreEndsWithoutHealthData() {
        Given given = rollingBack(3, RollbackHealthPolicy.IGNORE);
        given.restoresUnobserved(FIRST).restoresUnobserved(SECOND).restoresUnobserved(THIRD);
        given.isHealthy(FIRST).isHealthy(SECOND).at(NO_DATA_LIMIT).plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
        assertThat(hasUnhealthyIncident(given, THIRD)).isFalse();
    }

    @Test
    @DisplayName("A23: a restored node that goes offline after its gate stops the next restore")
    void aRestoredNodeThatGoesOfflineStopsTheNextRestore() {
        Given given = rollingBack(1, RollbackHealthPolicy.WAIT).restores(THIRD);
        given.fleet.disconnect(THIRD, given.now);
        given.fleet.verdicts.remove(THIRD);
        given.restores(SECOND);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RollingBack.class);

        given.at(NO_DATA_LIMIT).plan();

        given.isPausedFor(PauseReason.RESTORED_UNHEALTHY);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
    }

    @Test
    @DisplayName(
            "A23: the rollback continues when the restored node is connected and healthy again")
    void continuesWhenARestoredNodeIsHealthyAgain() {
        Given given = rollingBack(1, RollbackHealthPolicy.WAIT).restores(THIRD);
        given.fleet.settling(THIRD, given.upgrade(THIRD).attempt());
        given.restores(SECOND);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        given.isHealthy(THIRD);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    @DisplayName("A23: a restore that a health gate of the upgrade made is no part of the rollback")
    void aFailedRestoreOfTheUpgradeDoesNotCount() {
        Given given =
                Given.of(3, new Strategy.Rolling(1), new Threshold.Count(2), MigrationType.NONE)
                        .start();
        given.batchSucceeds().installs(SECOND).isUnhealthy(SECOND).refuses(SECOND, "DISK_FULL");
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.FailedRollback.class);
        given.request(new OperatorRequest.Rollback());
        given.plan().refuses(THIRD, "WITHDRAWN_FOR_TEST");

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
    }

    /** As after the end of a rollout: no evaluator watches its nodes. */
    private static Given completedWithoutVerdicts() {
        Given given = Given.rolling(3, 1).start();
        while (!given.inFlight().isEmpty()) {
            given.batchSucceeds();
        }
        given.isObserved().fleet.verdicts.clear();
        return given;
    }

    @Test
    @DisplayName("A23: a rollback of an ended rollout restores the unhealthy node first")
    void restoresTheUnhealthyNodeOfAnEndedRolloutFirst() {
        Given given = completedWithoutVerdicts();
        given.fleet.reports(FIRST, Level.CRITICAL, given.now);

        given.request(new OperatorRequest.Rollback());
        given.plan();

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
        assertThat(given.state(THIRD)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(given.received)
                .as("the history states the order")
                .anySatisfy(
                        move ->
                                assertThat(move.because().sentence())
                                        .contains("unhealthy nodes first (1)")
                                        .contains("health gate: wait"));
    }

    @Test
    @DisplayName("A23: a rollback of which all nodes are unhealthy starts and states its order")
    void aRollbackOfUnhealthyNodesAloneStartsAndStatesItsOrder() {
        Given given = completedWithoutVerdicts();
        for (NodeId node : List.of(FIRST, SECOND, THIRD)) {
            given.fleet.reports(node, Level.CRITICAL, given.now);
        }

        given.request(new OperatorRequest.Rollback());
        given.plan();

        assertThat(List.of(FIRST, SECOND, THIRD))
                .as("as many as a batch has")
                .filteredOn(node -> given.state(node) instanceof NodeState.Restoring)
                .hasSize(1);
        assertThat(given.received)
                .anySatisfy(
                        move ->
                                assertThat(move.because().sentence())
                                        .contains("unhealthy nodes first (3)"));
    }

    @Test
    @DisplayName("A23: so does one whose rollout is cancelled first")
    void restoresTheUnhealthyNodeOfACancelledRolloutFirst() {
        Given given = Given.rolling(4, 1).start().batchSucceeds().batchSucceeds();
        given.request(new OperatorRequest.Cancel());
        given.plan();
        given.request(new OperatorRequest.Rollback());
        given.fleet.verdicts.clear();
        given.fleet.reports(FIRST, Level.DOWN, given.now);
        given.refuses(THIRD, "WITHDRAWN_FOR_TEST");
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    @DisplayName("A23: while the health of a node is not known, no healthy node is restored")
    void waitsForTheFirstHeartbeat() {
        Given given = completedWithoutVerdicts();
        given.fleet.reports(FIRST, Level.UNKNOWN, given.now);
        given.request(new OperatorRequest.Rollback());
        given.plan();
        assertThat(given.inFlight()).isEmpty();
        assertThat(given.last.wakeAt()).isEqualTo(given.now.plus(FIRST_HEARTBEAT));

        given.fleet.reports(FIRST, Level.CRITICAL, given.now);
        given.plan();

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    void restoresWithoutAHeartbeatAfterAMinute() {
        Given given = completedWithoutVerdicts();
        given.fleet.reports(FIRST, Level.UNKNOWN, given.now);
        given.request(new OperatorRequest.Rollback());
        given.plan().at(FIRST_HEARTBEAT).plan();
        assertThat(given.state(THIRD)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    @DisplayName("A23: a new leader waits for the first reports before it restores the next node")
    void aNewLeaderRestoresTheUnhealthyNodeFirst() {
        Given given = rollingBack(1, RollbackHealthPolicy.WAIT).restoresUnobserved(THIRD);
        given.at(Duration.ofMinutes(1)).fleet.completeSince = given.now;
        given.fleet.verdicts.clear();
        given.isHealthy(THIRD);
        assertThat(given.inFlight()).as("nothing is reported yet").isEmpty();

        given.fleet.reports(FIRST, Level.CRITICAL, given.now);
        given.plan();

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Succeeded.class);
    }

    @Test
    void pausesAtTheFirstUnhealthyNode() {
        Given given = rollingBack(2, RollbackHealthPolicy.ASK).restoresUnobserved(THIRD);
        given.isUnhealthy(THIRD).restores(FIRST);
        given.isPausedFor(PauseReason.RESTORED_UNHEALTHY);
    }

    @Test
    void ignoreContinuesAsSoonAsARestoreIsVerified() {
        Given given = rollingBack(1, RollbackHealthPolicy.IGNORE).restoresUnobserved(THIRD);
        assertThat(given.state(THIRD)).isInstanceOf(NodeState.RolledBack.class);
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Restoring.class);
        given.isUnhealthy(THIRD);
        assertThat(given.incidents)
                .as("an unhealthy restored node opens an incident all the same")
                .anyMatch(
                        change ->
                                change instanceof Open open
                                        && open.category() == IncidentCategory.NODE_UNHEALTHY);
    }

    @Test
    void resumesWithTheNumberOfUnhealthyNodesAcknowledged() {
        Given given = rollingBack(1, RollbackHealthPolicy.WAIT).restoresUnobserved(THIRD);
        given.isUnhealthy(THIRD).at(HEALTH_DEADLINE).plan();
        assertThat(given.request(new OperatorRequest.Resume(0)))
                .isInstanceOf(RequestDecision.Refused.class);
        assertThat(given.request(new OperatorRequest.Resume(1)))
                .isInstanceOf(RequestDecision.Applied.class);
        given.plan();
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Restoring.class);
        given.restores(SECOND).restores(FIRST);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    @DisplayName("A23: what was accepted does not cover a node that becomes unhealthy later")
    void anAcceptanceEndsOnceItsNodeIsHealthy() {
        Given given = rollingBack(1, RollbackHealthPolicy.WAIT).restoresUnobserved(THIRD);
        given.isUnhealthy(THIRD).at(HEALTH_DEADLINE).plan();
        given.request(new OperatorRequest.Resume(1));
        given.plan().isHealthy(THIRD);

        given.restoresUnobserved(SECOND).isUnhealthy(SECOND).at(HEALTH_DEADLINE).plan();

        given.isPausedFor(PauseReason.RESTORED_UNHEALTHY);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
    }

    @Test
    void anAcceptanceEndsWhileTheRollbackIsPausedToo() {
        Given given = rollingBack(1, RollbackHealthPolicy.WAIT).restoresUnobserved(THIRD);
        given.isUnhealthy(THIRD).at(HEALTH_DEADLINE).plan();
        given.request(new OperatorRequest.Resume(1));
        given.plan();
        given.request(new OperatorRequest.Pause());
        given.isHealthy(THIRD).isUnhealthy(THIRD);
        given.request(new OperatorRequest.Resume(0));
        given.plan().restores(SECOND).at(HEALTH_DEADLINE).plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        given.isPausedFor(PauseReason.RESTORED_UNHEALTHY);
    }

    /** One node is restored while another one settles, as both were in flight. */
    private static Given settlesDuringTheRollback() {
        Given given = Given.rolling(3, 2).start().installs(FIRST).starts(SECOND);
        given.request(new OperatorRequest.Rollback(Optional.of(RollbackHealthPolicy.WAIT)));
        given.plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
        given.installs(SECOND);
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Settling.class);
        return given.restoresUnobserved(FIRST);
    }

    @Test
    @DisplayName("A23: a node that its own health gate restores passes the gate of the rollback")
    void aNodeThatIsUnhealthyOnTheTargetPassesTheGateOfTheRollback() {
        Given given = settlesDuringTheRollback();
        given.isUnhealthy(SECOND);
        given.restoresUnobserved(SECOND);
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Restored.class);

        given.isUnhealthy(SECOND);

        assertThat(given.state(SECOND))
                .isInstanceOfSatisfying(
                        NodeState.RolledBack.class, back -> assertThat(back.finding()).isPresent());
    }

    @Test
    @DisplayName("A23: so does one that becomes unhealthy while the rollback is paused")
    void aNodeThatIsUnhealthyDuringThePausePassesTheGateOfTheRollback() {
        Given given = settlesDuringTheRollback();
        given.request(new OperatorRequest.Pause());
        given.isUnhealthy(SECOND).restoresUnobserved(SECOND);
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Restored.class);
    }

    @Test
    @DisplayName("A23: so does one on which another program runs than the one installed")
    void aNodeWithAnotherProgramPassesTheGateOfTheRollback() {
        Given given = Given.rolling(3, 2).start().installs(FIRST).starts(SECOND);
        given.request(new OperatorRequest.Rollback());
        given.plan();
        given.fleet.report(
                SECOND,
                given.upgrade(SECOND).attempt(),
                AttemptOutcome.SUCCEEDED,
                Digest.of("other").value(),
                Given.NEW_CONFIG.value());
        given.plan().restoresUnobserved(SECOND);
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Restored.class);
    }

    @Test
    void aRestoredNodeThatBecomesUnhealthyLaterCountsToo() {
        Given given = rollingBack(1, RollbackHealthPolicy.WAIT).restores(THIRD);
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Restoring.class);
        given.isUnhealthy(THIRD).restores(SECOND).at(HEALTH_DEADLINE).plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        given.isPausedFor(PauseReason.RESTORED_UNHEALTHY);
        given.isHealthy(THIRD);
        assertThat(given.request(new OperatorRequest.Resume(0)))
                .isInstanceOf(RequestDecision.Applied.class);
    }

    @Test
    @DisplayName("A21, A23: an unhealthy node is restored first, and no healthy one beside it")
    void restoresUnhealthyNodesFirst() {
        Given given = Given.rolling(3, 1).start().batchSucceeds().batchSucceeds();
        given.fleet.unhealthy(FIRST, given.upgrade(FIRST).attempt());
        given.request(new OperatorRequest.Rollback());
        given.plan().refuses(THIRD, "WITHDRAWN_FOR_TEST");
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Succeeded.class);
    }

    @Test
    @DisplayName("R3: without an evaluator the rollback pauses and does not guess")
    void pausesWithoutAnEvaluator() {
        Given given = rollingBack(1, RollbackHealthPolicy.WAIT).restoresUnobserved(THIRD);
        given.fleet.health = false;
        given.fleet.healthLostSince = given.now;
        given.fleet.verdicts.remove(THIRD);
        given.at(Duration.ofMinutes(2)).plan();
        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
        assertThat(given.state(THIRD)).isInstanceOf(NodeState.Restored.class);

        given.fleet.health = true;
        given.fleet.healthSince = given.now;
        given.request(new OperatorRequest.Resume(0));
        given.plan().isHealthy(THIRD);
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    void aRunningRollbackCanGetAnotherGate() {
        Given given = rollingBack(1, RollbackHealthPolicy.WAIT).restoresUnobserved(THIRD);
        assertThat(
                        given.request(
                                new OperatorRequest.Rollback(
                                        Optional.of(RollbackHealthPolicy.WAIT))))
                .isInstanceOf(RequestDecision.Refused.class);
        given.isUnhealthy(THIRD).at(HEALTH_DEADLINE).plan();
        given.request(new OperatorRequest.Rollback(Optional.of(RollbackHealthPolicy.IGNORE)));
        given.request(new OperatorRequest.Resume(1));
        given.plan();
        assertThat(given.rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.RollingBack.class,
                        back -> assertThat(back.health()).isEqualTo(RollbackHealthPolicy.IGNORE));
    }

    @Test
    void aProgramThatWasStoppedBeforeHasNoHealthToWaitFor() {
        Given given = rollingBack(1, RollbackHealthPolicy.WAIT);
        given.fleet.reports.put(
                THIRD,
                new AttemptStatus(
                        given.upgrade(THIRD).attempt(),
                        99,
                        AttemptOutcome.RESTORED,
                        null,
                        "",
                        100,
                        "",
                        "",
                        "",
                        Given.OLD_CONFIG.value(),
                        ""));
        given.plan();
        assertThat(given.state(THIRD)).isInstanceOf(NodeState.RolledBack.class);
    }
}
