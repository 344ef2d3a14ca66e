package drover.coordinator.plan.batch;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.StepViolationFinder;
import drover.coordinator.plan.explain.RolloutExplainer;
import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.step.Step;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Nodes that were unreachable, or skipped because of that, and report after all. */
class ReturningNodesTest {
    private static final NodeId FIRST = Given.node(1);
    private static final NodeId SECOND = Given.node(2);
    private static final NodeId THIRD = Given.node(3);

    /** The first node is unreachable within the offline budget; the second one is in flight. */
    private static Given firstIsUnreachable() {
        Given given =
                Given.withOfflineBudget(4, new Strategy.Rolling(1), new Threshold.Count(0), 1);
        given.start().starts(FIRST);
        given.fleet.disconnect(FIRST, given.now);
        given.at(Duration.ofHours(1)).plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Unreachable.class);
        assertThat(given.inFlight()).containsExactly(SECOND);
        return given;
    }

    private static Given firstIsSkipped() {
        Given given = firstIsUnreachable();
        given.request(new OperatorRequest.SkipNode(FIRST));
        return given.plan();
    }

    private static void reports(Given given, NodeId node, AttemptOutcome outcome) {
        given.fleet.report(
                node,
                given.upgrade(node).attempt(),
                outcome,
                Given.NEW.value(),
                Given.NEW_CONFIG.value());
    }

    private static void connect(Given given, NodeId node) {
        given.fleet.connect(node, Given.OLD.value(), Given.OLD_CONFIG.value());
    }

    @Test
    @DisplayName("A21: no further node is upgraded while a reconnected node may be at work")
    void aReconnectedNodeWithAnOpenAttemptCountsAsInFlight() {
        Given given = firstIsUnreachable();
        given.installs(SECOND);
        connect(given, FIRST);
        given.isHealthy(SECOND);
        assertThat(given.state(SECOND)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(given.inFlight()).isEmpty();

        given.starts(FIRST);
        assertThat(given.inFlight()).containsExactly(FIRST);
        given.installs(FIRST).isHealthy(FIRST);
        assertThat(given.inFlight()).containsExactly(THIRD);
    }

    @Test
    void anOfflineNodeWithAnOpenAttemptDoesNotHoldUpTheRollout() {
        Given given = firstIsUnreachable();
        given.installs(SECOND).isHealthy(SECOND);
        assertThat(given.inFlight()).containsExactly(THIRD);
    }

    @Test
    @DisplayName("A7: an agent that is connected and does not respond is within the offline budget")
    void anUnresponsiveNodeDoesNotHoldUpTheRollout() {
        Given given =
                Given.withOfflineBudget(3, new Strategy.Rolling(1), new Threshold.Count(0), 1);
        given.start().starts(FIRST).at(Duration.ofHours(1)).plan();
        assertThat(given.state(FIRST))
                .isInstanceOfSatisfying(
                        NodeState.Unreachable.class,
                        lost -> assertThat(lost.cause().code()).isEqualTo("UNRESPONSIVE"));
        assertThat(given.inFlight()).containsExactly(SECOND);
    }

    @Test
    void whyNamesTheReconnectedNodeThatIsWaitedFor() {
        Given given = firstIsUnreachable();
        given.installs(SECOND);
        connect(given, FIRST);
        given.isHealthy(SECOND);
        assertThat(RolloutExplainer.rolloutReason(given.rollout, given.fleet).sentence())
                .isEqualTo(
                        "Node node-01 is connected again, and its attempt 1 is open: further nodes"
                                + " wait for its result. If it sends none, check its agent, or skip"
                                + " the node to continue.");
    }

    @Test
    @DisplayName(
            "A21: only a node that returns while another one is in flight exceeds the batch size")
    void aNodeThatReturnsExceedsTheBatchSizeUntilItIsDecided() {
        Given given = firstIsUnreachable();
        connect(given, FIRST);
        given.starts(FIRST);
        assertThat(given.inFlight()).containsExactly(FIRST, SECOND);

        given.installs(SECOND).isHealthy(SECOND);
        assertThat(given.inFlight()).containsExactly(FIRST);
    }

    @Test
    void skippingAReconnectedNodeLetsTheRolloutContinue() {
        Given given = firstIsUnreachable();
        given.installs(SECOND);
        connect(given, FIRST);
        given.isHealthy(SECOND);
        given.request(new OperatorRequest.SkipNode(FIRST));
        given.plan();
        assertThat(given.inFlight()).containsExactly(THIRD);
    }

    @Test
    @DisplayName("A22: a skipped node that was upgraded after all settles if the batch has room")
    void aSkippedNodeThatWasUpgradedSettles() {
        Given given = firstIsSkipped();
        given.installs(SECOND);
        given.fleet.disconnect(THIRD, given.now);
        given.fleet.disconnect(Given.node(4), given.now);
        given.isHealthy(SECOND);
        assertThat(given.inFlight()).isEmpty();

        given.installs(FIRST);
        assertThat(given.inFlight()).containsExactly(FIRST);
        assertThat(given.upgrade(FIRST).batch()).isEqualTo(given.rollout.currentBatch());
        given.isHealthy(FIRST);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
    }

    @Test
    @DisplayName(
            "A22: without room it is evaluated at once, and nothing follows until it is healthy")
    void aSkippedNodeThatWasUpgradedIsEvaluatedWithoutCapacity() {
        Given given = firstIsSkipped();
        given.installs(FIRST);
        assertThat(given.inFlight()).as("batch size 1").containsExactly(SECOND);
        given.installs(SECOND).isHealthy(SECOND);
        assertThat(given.inFlight()).as("there is no verdict on the first node").isEmpty();

        given.isHealthy(FIRST);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(given.inFlight()).containsExactly(THIRD);
    }

    @Test
    @DisplayName("A22: if it is unhealthy, the rollout pauses until an operator acknowledges it")
    void anUnhealthyNodeThatWasUpgradedAfterItsSkipPauses() {
        Given given = firstIsSkipped();
        given.installs(FIRST);
        given.fleet.verdicts.put(
                FIRST,
                new HealthVerdict.Unhealthy(
                        given.upgrade(FIRST).attempt(),
                        List.of(new Cause("CRITICAL", "Probe 'ready' saw status 503."))));
        given.installs(SECOND).isHealthy(SECOND);
        given.isPausedFor(PauseReason.SUCCEEDED_UNHEALTHY);
        assertThat(given.incidents)
                .filteredOn(IncidentChange.Open.class::isInstance)
                .extracting(change -> ((IncidentChange.Open) change).category())
                .contains(IncidentCategory.NODE_UNHEALTHY);

        given.request(new OperatorRequest.Resume(given.rollout.thresholdFailureCount()));
        given.plan();
        assertThat(given.inFlight()).containsExactly(THIRD);
    }

    @Test
    @DisplayName("D14: a skipped node that failed and could not restore counts as failed")
    void aSkippedNodeThatCouldNotRestoreFails() {
        Given given = firstIsSkipped();
        reports(given, FIRST, AttemptOutcome.FAILED_ROLLBACK);
        given.plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.FailedRollback.class);
        given.isPausedFor(PauseReason.FAILURE_THRESHOLD);
    }

    @Test
    void aSkippedNodeThatRestoredItselfStaysSkipped() {
        Given given = firstIsSkipped();
        given.fails(FIRST);
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Skipped.class);
        assertThat(given.upgrade(FIRST).installedBy()).isZero();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
    }

    /** A step that changes these nodes and nothing else. */
    private static List<String> violations(Given given, NodeUpgrade... changed) {
        Map<NodeId, NodeUpgrade> nodes = new LinkedHashMap<>(given.rollout.nodes());
        for (NodeUpgrade node : changed) {
            nodes.put(node.id(), node);
        }
        Rollout before = given.rollout;
        Rollout after =
                new Rollout(
                        before.id(),
                        before.revision(),
                        before.spec(),
                        before.state(),
                        before.acknowledgedFailures(),
                        before.acceptedOffline(),
                        before.batches(),
                        nodes);
        Step step = new Step(true, after, List.of(), List.of(), List.of(), Set.of(), null);
        return StepViolationFinder.findViolations(before, step, given.fleet);
    }

    @Test
    @DisplayName("A22: the checker rejects a step that leaves an upgraded node skipped")
    void theCheckerSeesAnUpgradedNodeThatStaysSkipped() {
        Given given = firstIsSkipped();
        reports(given, FIRST, AttemptOutcome.SUCCEEDED);
        NodeUpgrade closed =
                given.upgrade(FIRST).withStatus(given.fleet.latestStatus(FIRST).orElseThrow());

        assertThat(violations(given, closed))
                .containsExactly("A22: node node-01 was upgraded, and stays skipped");
    }

    @Test
    @DisplayName("A21: the checker counts a reconnected node, and tolerates only its own return")
    void theCheckerCountsReconnectedNodes() {
        Given given = firstIsUnreachable();
        connect(given, FIRST);
        NodeUpgrade third = given.upgrade(THIRD);
        NodeState assigned = ((NodeState.Pending) third.state()).assign(1, given.now);
        NodeState returned =
                ((NodeState.Unreachable) given.state(FIRST)).resumeUpgrading(given.now);

        assertThat(violations(given, third.withState(assigned)))
                .contains("A21: 3 nodes in flight, more than 1");
        assertThat(violations(given, given.upgrade(FIRST).withState(returned)))
                .noneMatch(violation -> violation.startsWith("A21"));
    }
}
