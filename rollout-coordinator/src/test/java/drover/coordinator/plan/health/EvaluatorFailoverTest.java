package drover.coordinator.plan.health;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.step.Effect;
import drover.model.NodeId;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Another health-evaluator is asked of a connected node of which the present one hears nothing. */
@DisplayName("R3: who hears nothing of a node is not the only one to ask")
class EvaluatorFailoverTest {
    private static final NodeId NODE = Given.node(1);
    private static final Duration UNRESPONSIVE = Duration.ofSeconds(40);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Given given = Given.rolling(1, 1).start().installs(NODE);

    @Test
    void isRequestedOnlyAfterAHeartbeatGap() {
        assertThat(given.last.wakeAt()).as("looks then").isEqualTo(given.now.plus(UNRESPONSIVE));
        given.at(UNRESPONSIVE.minus(SECOND)).plan();
        assertNotReassigned(given);

        given.at(SECOND).plan();
        assertReassigned(given, NODE);
        given.at(SECOND).plan();
        assertReassigned(given, NODE); // again at every tick, until it is heard
        given.isHealthy(NODE);
        assertNotReassigned(given);
    }

    @Test
    void itMovesNothingAndPutsNoDeadlineOff() {
        int received = given.received.size();
        given.at(UNRESPONSIVE).plan();
        assertThat(given.received).hasSize(received);
        assertThat(given.last.changed()).isFalse();

        given.at(Duration.ofMinutes(2).minus(UNRESPONSIVE)).plan();
        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
    }

    @Test
    @DisplayName("also while it is paused, so that a resume finds who hears")
    void isRequestedWhilePaused() {
        given.request(new OperatorRequest.Pause());
        given.at(UNRESPONSIVE).plan();
        assertReassigned(given, NODE);
    }

    @Test
    void nodesWithDataAreNotReassigned() {
        given.fleet.settling(NODE, given.upgrade(NODE).attempt());
        given.at(UNRESPONSIVE).plan();
        assertNotReassigned(given);
    }

    @Test
    @DisplayName("no data of this attempt is a silence, whatever was said of another one")
    void verdictOnAnotherAttemptIsNoData() {
        given.fleet.settling(NODE, given.upgrade(NODE).attempt() - 1);
        given.at(UNRESPONSIVE).plan();
        assertReassigned(given, NODE);
    }

    @Test
    void disconnectedNodeHasNoData() {
        given.fleet.disconnect(NODE, given.now);
        given.at(UNRESPONSIVE).plan();
        assertNotReassigned(given);

        given.fleet.nodes.put(NODE, new NodeView.Unknown());
        given.plan();
        assertNotReassigned(given);
    }

    @Test
    void leaderWithoutFleetVisibilityRequestsNothing() {
        given.fleet.completeSince = null;
        given.at(UNRESPONSIVE).plan();
        assertNotReassigned(given);
    }

    @Test
    void withoutAnyEvaluatorThereIsNoOtherOne() {
        given.fleet.health = false;
        given.at(UNRESPONSIVE).plan();
        assertNotReassigned(given);
    }

    @Test
    void laterEvaluatorHasItsFullTime() {
        given.at(Duration.ofSeconds(30));
        given.fleet.healthSince = given.now;
        assertHasItsTime(given, NODE);
    }

    @Test
    @DisplayName("so has one that was asked later, and one to whose gateway the node came later")
    void laterConnectionHasItsFullTime() {
        given.at(Duration.ofSeconds(30));
        given.fleet.reachableSince.put(NODE, given.now);
        assertHasItsTime(given, NODE);
    }

    @Test
    void laterGapHasItsFullTime() {
        given.at(Duration.ofSeconds(30));
        given.fleet.noHeartbeatSince.put(NODE, given.now);
        assertHasItsTime(given, NODE);
    }

    private static void assertHasItsTime(Given given, NodeId node) {
        given.at(UNRESPONSIVE.minus(SECOND)).plan();
        assertNotReassigned(given);
        given.at(SECOND).plan();
        assertReassigned(given, node);
    }

    @Test
    @DisplayName("an observed canary's observation is taken back by its silence, not by asking")
    void observedCanaryIsWatchedToo() {
        Given canary = unresponsiveCanary(UNRESPONSIVE.plus(SECOND));
        NodeId node = canary.inFlight().getFirst();
        assertThat(canary.last.wakeAt()).as("looks then").isEqualTo(canary.now.plus(UNRESPONSIVE));
        canary.at(UNRESPONSIVE.minus(SECOND)).plan();
        assertNotReassigned(canary);

        canary.at(SECOND).plan();
        assertThat(canary.state(node)).isInstanceOf(NodeState.Observed.class);
        assertReassigned(canary, node);
        canary.at(SECOND).plan();
        assertThat(canary.state(node)).isInstanceOf(NodeState.Settling.class);
    }

    @Test
    @DisplayName("one that is taken back before has its time anew, as what settles then")
    void revertedCanaryIsObservedLater() {
        Given canary = unresponsiveCanary(UNRESPONSIVE.minus(SECOND));
        NodeId node = canary.inFlight().getFirst();
        canary.at(UNRESPONSIVE).plan();
        assertThat(canary.state(node)).isInstanceOf(NodeState.Settling.class);
        assertNotReassigned(canary);

        canary.at(UNRESPONSIVE).plan();
        assertReassigned(canary, node);
    }

    private static Given unresponsiveCanary(Duration healthWait) {
        Given canary = Given.canary(2, healthWait).start();
        NodeId node = canary.inFlight().getFirst();
        canary.installs(node).isHealthy(node);
        assertThat(canary.state(node)).isInstanceOf(NodeState.Observed.class);
        canary.fleet.verdicts.remove(node);
        canary.fleet.noHeartbeatSince.put(node, canary.now);
        return canary.plan();
    }

    @Test
    @DisplayName(
            "A22: a node that succeeded is asked of another evaluator, for it must stay healthy")
    void successIsVerifiedByAnotherEvaluator() {
        given.isHealthy(NODE);
        given.fleet.verdicts.remove(NODE);
        given.at(UNRESPONSIVE).plan();
        assertReassigned(given, NODE);
    }

    private static void assertReassigned(Given given, NodeId node) {
        long attempt = given.upgrade(node).attempt();
        assertThat(given.last.effects()).contains(new Effect.SwitchHealthEvaluator(node, attempt));
    }

    private static void assertNotReassigned(Given given) {
        assertThat(given.last.effects()).noneMatch(Effect.SwitchHealthEvaluator.class::isInstance);
    }
}
