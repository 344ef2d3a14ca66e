package drover.coordinator.plan.batch;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.explain.RolloutExplainer;
import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.NodeView.ProgramHealth.Level;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.RequestDecision;
import drover.model.AttemptOutcome;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A24: a rollout starts and continues only while unhealthy targets stay within the budget. */
class UnhealthyBudgetTest {
    private static final NodeId FIRST = Given.node(1);
    private static final NodeId THIRD = Given.node(3);

    private final Given given = Given.rolling(3, 1);

    private static Given withBudget(int targets) {
        Given given = Given.rolling(3, 1);
        RolloutSpec spec = given.rollout.spec();
        given.rollout =
                given.rollout.withSpec(
                        spec.withPolicy(spec.conduct().withUnhealthyBudget(targets)));
        return given;
    }

    @ParameterizedTest
    @EnumSource(names = {"CRITICAL", "DOWN", "CRASH_LOOP"})
    @DisplayName("A24: start is rejected while a target is unhealthy")
    void startIsRejected(Level level) {
        given.fleet.reports(THIRD, level, given.now);
        assertThat(given.request(new OperatorRequest.Start()))
                .isInstanceOfSatisfying(
                        RequestDecision.Refused.class,
                        refused -> {
                            assertThat(refused.code()).isEqualTo(RefusalCode.TARGETS_UNHEALTHY);
                            assertThat(refused.sentence())
                                    .startsWith(
                                            "1 target is unhealthy, more than the unhealthy budget"
                                                    + " of 0: node "
                                                    + THIRD
                                                    + ": web is "
                                                    + level)
                                    .contains(". Repair or exclude");
                        });
    }

    @ParameterizedTest
    @EnumSource(names = {"HEALTHY", "UNKNOWN", "DEGRADED"})
    void startIsNotRejectedForOtherLevels(Level level) {
        given.fleet.reports(THIRD, level, given.now);
        assertThat(given.request(new OperatorRequest.Start()))
                .isInstanceOf(RequestDecision.Applied.class);
    }

    @Test
    void theBudgetCoversUnhealthyTargets() {
        Given tolerant = withBudget(1);
        tolerant.fleet.reports(THIRD, Level.CRITICAL, tolerant.now);
        tolerant.start();
        assertThat(tolerant.inFlight()).containsExactly(FIRST);
    }

    @Test
    @DisplayName("A24: a target that becomes unhealthy stops the dispatch at once, then pauses")
    void aTargetThatBecomesUnhealthyHoldsUpTheRollout() {
        given.start();
        given.fleet.reports(THIRD, Level.CRITICAL, given.now);
        given.batchSucceeds();
        assertThat(given.inFlight()).as("the second node waits").isEmpty();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        assertThat(RolloutExplainer.rolloutReason(given.rollout, given.fleet).code())
                .isEqualTo("WAITING_FOR_HEALTH");

        given.at(Duration.ofSeconds(30)).plan();

        given.isPausedFor(PauseReason.TARGETS_UNHEALTHY);
        assertThat(given.incidents)
                .anyMatch(
                        change ->
                                change instanceof IncidentChange.Open open
                                        && open.category() == IncidentCategory.NODE_UNHEALTHY
                                        && THIRD.equals(open.node()));
    }

    @Test
    void continuesOnceTheTargetIsHealthy() {
        given.start();
        given.fleet.reports(THIRD, Level.CRITICAL, given.now);
        given.batchSucceeds();
        given.fleet.reports(THIRD, Level.HEALTHY, given.now);
        given.plan();
        assertThat(given.inFlight()).containsExactly(Given.node(2));
    }

    @Test
    void resumesWithTheNumberOfUnhealthyTargetsAcknowledged() {
        given.start();
        given.fleet.reports(THIRD, Level.CRITICAL, given.now);
        given.batchSucceeds().at(Duration.ofSeconds(30)).plan();
        assertThat(given.request(new OperatorRequest.Resume(0)))
                .isInstanceOfSatisfying(
                        RequestDecision.Refused.class,
                        refused ->
                                assertThat(refused.code())
                                        .isEqualTo(RefusalCode.ACKNOWLEDGE_FAILURES));
        given.request(new OperatorRequest.Resume(1));
        given.plan();
        assertThat(given.inFlight()).containsExactly(Given.node(2));
    }

    @Test
    @DisplayName("A24: what was accepted does not cover a target that becomes unhealthy later")
    void anAcceptanceEndsOnceItsTargetIsHealthy() {
        given.start();
        given.fleet.reports(THIRD, Level.CRITICAL, given.now);
        given.batchSucceeds().at(Duration.ofSeconds(30)).plan();
        given.request(new OperatorRequest.Resume(1));
        given.plan();
        assertThat(given.inFlight()).containsExactly(Given.node(2));
        given.fleet.reports(THIRD, Level.HEALTHY, given.now);
        given.plan();
        assertThat(given.rollout.state()).isEqualTo(new RolloutState.Running(given.now));

        given.fleet.reports(THIRD, Level.CRITICAL, given.now);
        given.batchSucceeds();

        assertThat(given.inFlight()).as("the third node waits").isEmpty();
        given.at(Duration.ofSeconds(30)).plan();
        given.isPausedFor(PauseReason.TARGETS_UNHEALTHY);
    }

    @Test
    @DisplayName("R3: an acceptance outlives a short loss of fleet visibility")
    void anAcceptanceOutlivesALossOfVisibility() {
        given.start();
        given.fleet.reports(THIRD, Level.CRITICAL, given.now);
        given.batchSucceeds().at(Duration.ofSeconds(30)).plan();
        given.request(new OperatorRequest.Resume(1));
        given.plan();
        NodeView seen = given.fleet.node(THIRD);
        given.fleet.completeSince = null;
        given.fleet.nodes.remove(THIRD);
        given.plan();
        given.fleet.completeSince = given.now;
        given.fleet.nodes.put(THIRD, seen);
        given.batchSucceeds();
        assertThat(given.inFlight()).containsExactly(THIRD);
    }

    @Test
    @DisplayName("A24: a node that is retried is one that the rollout has modified")
    void aRetriedNodeIsNoUnhealthyTarget() {
        given.start().starts(FIRST).fails(FIRST);
        given.isPausedFor(PauseReason.FAILURE_THRESHOLD);
        given.fleet.reports(FIRST, Level.CRITICAL, given.now);
        given.request(new OperatorRequest.RetryNode(FIRST));
        given.request(new OperatorRequest.Resume(0));
        given.plan();
        assertThat(given.inFlight()).containsExactly(FIRST);
    }

    @Test
    @DisplayName("A24: a retried node is dispatched before others, whose turn would come first")
    void onlyTheRetriedNodeIsDispatchedWhileItIsUnhealthy() {
        Given tolerant =
                Given.of(3, new Strategy.Rolling(1), new Threshold.Count(1), MigrationType.NONE)
                        .start()
                        .batchSucceeds();
        tolerant.request(new OperatorRequest.HoldNode(THIRD, tolerant.now.plusSeconds(3600)));
        tolerant.starts(Given.node(2)).fails(Given.node(2));
        tolerant.request(new OperatorRequest.Pause());
        tolerant.fleet.reports(Given.node(2), Level.CRITICAL, tolerant.now);
        tolerant.request(new OperatorRequest.RetryNode(Given.node(2)));
        tolerant.request(new OperatorRequest.ReleaseNode(THIRD));
        tolerant.request(new OperatorRequest.Resume(0));
        tolerant.plan();
        assertThat(tolerant.inFlight()).containsExactly(Given.node(2));
    }

    private void isWithdrawn(NodeId node) {
        given.request(new OperatorRequest.Pause());
        given.plan();
        given.fleet.report(
                node,
                given.upgrade(node).attempt(),
                AttemptOutcome.WITHDRAWN,
                Given.OLD.value(),
                Given.OLD_CONFIG.value());
        given.plan();
    }

    private void holdsUpOthersUntilTheRolloutPauses() {
        given.request(new OperatorRequest.Resume(0));
        given.plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        assertThat(given.inFlight()).isEmpty();
        given.at(Duration.ofSeconds(30)).plan();
        given.isPausedFor(PauseReason.TARGETS_UNHEALTHY);
    }

    @Test
    @DisplayName("A24: an unhealthy node counts after its work was withdrawn")
    void aWithdrawnNodeThatIsHeldCounts() {
        given.start();
        isWithdrawn(FIRST);
        given.fleet.reports(FIRST, Level.CRITICAL, given.now);
        given.request(new OperatorRequest.HoldNode(FIRST, given.now.plusSeconds(3600)));
        holdsUpOthersUntilTheRolloutPauses();
    }

    @Test
    @DisplayName("A24: an unhealthy node counts while its retry is held")
    void aRetriedNodeThatIsHeldCounts() {
        given.start().starts(FIRST).fails(FIRST);
        given.fleet.reports(FIRST, Level.CRITICAL, given.now);
        given.request(new OperatorRequest.RetryNode(FIRST));
        given.request(new OperatorRequest.HoldNode(FIRST, given.now.plusSeconds(3600)));
        holdsUpOthersUntilTheRolloutPauses();
    }

    @Test
    @DisplayName("A24: an unhealthy node counts after its agent refused the upgrade")
    void aNodeThatRefusedItsUpgradeCounts() {
        given.start();
        given.fleet.reports(FIRST, Level.CRITICAL, given.now);
        given.refuses(FIRST, "DRIFTED");
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Skipped.class);
        assertThat(given.inFlight()).isEmpty();
        given.at(Duration.ofSeconds(30)).plan();
        given.isPausedFor(PauseReason.TARGETS_UNHEALTHY);
    }

    @Test
    @DisplayName("A24: a late failure counts while its retry is held")
    void aRetriedLateFailureThatIsHeldCounts() {
        given.start().batchSucceeds();
        given.fleet.unhealthy(
                FIRST, given.upgrade(FIRST).attempt(), new Cause("CRITICAL", "It is critical."));
        given.fleet.reports(FIRST, Level.CRITICAL, given.now);
        given.plan();
        given.isPausedFor(PauseReason.SUCCEEDED_UNHEALTHY);
        given.installs(Given.node(2)).isHealthy(Given.node(2));
        given.request(new OperatorRequest.RetryNode(FIRST));
        given.request(new OperatorRequest.HoldNode(FIRST, given.now.plusSeconds(3600)));
        holdsUpOthersUntilTheRolloutPauses();
    }

    @Test
    @DisplayName("R3: a target without health data is waited for, then counts as offline")
    void aTargetWithoutHealthDataCountsAsOffline() {
        given.fleet.reports(THIRD, Level.UNKNOWN, given.now);
        given.start();
        assertThat(given.inFlight()).isEmpty();
        assertThat(given.last.wakeAt()).isEqualTo(given.now.plusSeconds(60));
        given.at(Duration.ofMinutes(1)).plan();
        assertThat(given.inFlight()).isEmpty();
        assertThat(RolloutExplainer.rolloutReason(given.rollout, given.fleet).code())
                .isEqualTo("WAITING_FOR_HEALTH");
        assertThat(given.last.wakeAt()).isEqualTo(given.now.plusSeconds(60));
        given.at(Duration.ofMinutes(1)).plan();
        given.isPausedFor(PauseReason.NODES_OFFLINE);
        assertThat(given.received.getLast().because().sentence())
                .isEqualTo(
                        "The offline budget is exceeded by 1 node offline or without health data:"
                                + " node node-03: web is UNKNOWN. Reconnect or repair them, or"
                                + " resume to accept it.");
    }

    @Test
    void resumeAcceptsTargetsWithoutHealthData() {
        given.fleet.reports(THIRD, Level.UNKNOWN, given.now);
        given.start().at(Duration.ofMinutes(2)).plan();
        given.isPausedFor(PauseReason.NODES_OFFLINE);
        given.request(new OperatorRequest.Resume(0));
        given.plan();
        assertThat(given.inFlight()).containsExactly(FIRST);
        assertThat(given.rollout.acceptedOffline()).isEqualTo(1);
    }

    @Test
    @DisplayName("A7: the offline budget covers targets without health data after one minute")
    void theOfflineBudgetCoversATargetWithoutHealthData() {
        Given tolerant =
                Given.withOfflineBudget(3, new Strategy.Rolling(1), new Threshold.Count(0), 1);
        tolerant.fleet.reports(THIRD, Level.UNKNOWN, tolerant.now);
        tolerant.start();
        assertThat(tolerant.inFlight()).isEmpty();
        tolerant.at(Duration.ofMinutes(1)).plan();
        assertThat(tolerant.inFlight()).containsExactly(FIRST);
    }

    @Test
    void whatAnOperatorSkippedIsAccepted() {
        given.fleet.reports(THIRD, Level.CRITICAL, given.now);
        given.request(new OperatorRequest.SkipNode(THIRD));
        assertThat(given.request(new OperatorRequest.Start()))
                .isInstanceOf(RequestDecision.Applied.class);
    }
}
