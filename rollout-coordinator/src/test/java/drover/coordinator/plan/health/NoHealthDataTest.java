package drover.coordinator.plan.health;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.explain.RolloutExplainer;
import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.incident.IncidentSeverity;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.model.MigrationType;
import drover.model.NodeId;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A node whose agent is connected, and of which who judges it hears nothing. */
class NoHealthDataTest {
    private static final NodeId NODE = Given.node(1);
    private static final Duration NO_HEARTBEAT = Duration.ofMinutes(2); // the wait is 10 s

    private final Given given = Given.rolling(1, 1).start().installs(NODE);

    @Test
    @DisplayName("R3: a connected node of which the evaluator hears nothing is not brought back")
    void pausesAtTheDeadlineAndNamesTheNodeWithoutData() {
        given.at(NO_HEARTBEAT).plan();

        assertThat(given.state(NODE)).isInstanceOf(NodeState.Settling.class);
        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
        String sentence =
                "Of node node-01 nothing is heard: No verdict yet. Look at the way from the"
                        + " health-evaluator to its gateway, then resume, or roll back.";
        assertThat(given.received.getLast().because())
                .isEqualTo(new Cause("HEALTH_UNAVAILABLE", sentence));
        assertThat(RolloutExplainer.rolloutReason(given.rollout, given.fleet).sentence())
                .isEqualTo(sentence);

        given.isHealthy(NODE);
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Succeeded.class);
    }

    @Test
    @DisplayName("R3: the explanation names a restored node of which there is no data")
    void namesARestoredNode() {
        given.isHealthy(NODE);
        given.request(new OperatorRequest.Rollback());
        given.plan().restoresUnobserved(NODE);
        given.fleet.health = false;
        given.fleet.healthLostSince = given.now;
        given.at(NO_HEARTBEAT).plan();
        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
        given.fleet.health = true;

        assertThat(RolloutExplainer.rolloutReason(given.rollout, given.fleet).sentence())
                .startsWith("Of node node-01 nothing is heard: No verdict yet.");
    }

    @Test
    @DisplayName("A18: what pauses by itself and waits for a person is an incident as well")
    void thePauseIsAnIncidentOfTheNode() {
        given.at(NO_HEARTBEAT).plan();

        Transition noted = given.received.get(given.received.size() - 2);
        assertThat(noted.node()).isEqualTo(NODE);
        assertThat(given.incidents).containsExactly(stalled("UNHEARD", noted.because().sentence()));
    }

    @Test
    @DisplayName("A18: so is a pause for which no evaluator is heard")
    void noEvaluatorIsAnIncidentToo() {
        given.fleet.health = false;
        given.at(NO_HEARTBEAT).plan();

        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
        assertThat(given.incidents)
                .containsExactly(
                        stalled(
                                "HEALTH_UNAVAILABLE",
                                given.received.getLast().because().sentence()));
    }

    @Test
    @DisplayName("A18: so is a pause for blindness, of one of the nodes that are waited for")
    void blindnessIsAnIncidentToo() {
        given.fleet.completeSince = null;
        given.fleet.visibilityLostAt = given.now;
        given.at(RolloutTimeouts.STANDARD.blindPause()).plan();

        given.isPausedFor(PauseReason.NO_FLEET_VISIBILITY);
        assertThat(given.incidents)
                .containsExactly(
                        stalled(
                                "NO_FLEET_VISIBILITY",
                                given.received.getLast().because().sentence()));
    }

    @Test
    @DisplayName("A18: the incident of such a pause is over when the pause is, and no other one")
    void endOfThePauseClosesItsIncident() {
        given.at(NO_HEARTBEAT).plan();
        given.incidents.clear();
        given.request(new OperatorRequest.Resume(0));

        assertThat(given.incidents)
                .containsExactly(
                        new IncidentChange.CloseMatching(
                                Set.of(IncidentCategory.UPGRADE_STALLED),
                                Set.of(
                                        "UNHEARD",
                                        "HEALTH_UNAVAILABLE",
                                        "NO_FLEET_VISIBILITY",
                                        "NODES_OFFLINE",
                                        "RESTORED_UNHEALTHY"),
                                null,
                                given.rollout.id(),
                                new Cause("PAUSE_OVER", "Its rollout is not paused any more.")));
    }

    @Test
    @DisplayName("A18: that incident stays while the pause does, also when its node is well again")
    void aNodeThatIsHealthyAgainDoesNotEndTheIncidentOfThePause() {
        given.at(NO_HEARTBEAT).plan();
        given.incidents.clear();
        given.isHealthy(NODE);

        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
        Cause because = new Cause("SUCCEEDED", "The node is verified at the target.");
        assertThat(given.incidents)
                .containsExactly(
                        new IncidentChange.CloseMatching(
                                Set.of(
                                        IncidentCategory.UPGRADE_FAILED,
                                        IncidentCategory.UPGRADE_ROLLBACK_FAILED,
                                        IncidentCategory.NODE_UNHEALTHY),
                                Set.of(),
                                NODE,
                                null,
                                given.rollout.spec().binary(),
                                because),
                        new IncidentChange.CloseMatching(
                                Set.of(IncidentCategory.UPGRADE_STALLED),
                                Set.of(IncidentRules.STALLED),
                                NODE,
                                given.rollout.id(),
                                because));
    }

    @Test
    void aPauseThatAPersonMadeOpensAndClosesNothing() {
        given.request(new OperatorRequest.Pause());
        given.at(NO_HEARTBEAT).plan();
        given.request(new OperatorRequest.Resume(0));

        assertThat(given.incidents).isEmpty();
    }

    private IncidentChange stalled(String code, String sentence) {
        return new IncidentChange.Open(
                IncidentCategory.UPGRADE_STALLED,
                IncidentSeverity.MAJOR,
                NODE,
                given.rollout.id(),
                new Cause(code, sentence),
                "");
    }

    @Test
    @DisplayName("A18: whoever resumes gives the node its whole time again")
    void doesNotPauseAgainAsSoonAsItIsResumed() {
        given.at(NO_HEARTBEAT.plusHours(1)).plan();
        given.request(new OperatorRequest.Resume(0));
        given.at(NO_HEARTBEAT.minusSeconds(1)).plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);

        given.at(Duration.ofSeconds(1)).plan();
        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
    }

    @Test
    @DisplayName("A18: a cancellation ends though nothing is ever heard of a node")
    void aCancellationDoesNotWaitForEver() {
        given.request(new OperatorRequest.Cancel());
        given.at(NO_HEARTBEAT).plan();
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Restoring.class);

        given.restores(NODE);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Cancelled.class);
    }

    @Test
    @DisplayName("A18: so does one that was asked for when it had paused for that node")
    void aCancellationOutOfThePauseEndsToo() {
        given.at(NO_HEARTBEAT).plan();
        given.request(new OperatorRequest.Cancel());
        given.plan();
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Restoring.class);

        given.restores(NODE);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Cancelled.class);
    }

    @Test
    @DisplayName("What is seen and not up is brought back after 30 s, not after two minutes")
    void whatIsPlainlyNotUpIsBroughtBackSoon() {
        given.fleet.settling(NODE, given.upgrade(NODE).attempt());
        given.at(Duration.ofSeconds(29)).plan();
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Settling.class);

        given.at(Duration.ofSeconds(1)).plan();
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    @DisplayName("A7: a node that is heard late has its time from then on")
    void lateDataHasItsFullTime() {
        given.at(Duration.ofSeconds(110)).plan(); // its agent had to dial another gateway
        given.fleet.settling(NODE, given.upgrade(NODE).attempt());
        given.fleet.receivedSince.put(NODE, given.now);
        given.at(Duration.ofSeconds(29)).plan();
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Settling.class);

        given.at(Duration.ofSeconds(1)).plan();
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    @DisplayName("A18: a cancellation ends while no evaluator is there, also of what settles")
    void aCancellationEndsWithoutAnyEvaluator() {
        given.fleet.health = false;
        given.request(new OperatorRequest.Cancel());
        given.at(NO_HEARTBEAT.minusSeconds(1)).plan();
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Settling.class);

        given.at(Duration.ofSeconds(1)).plan();
        assertThat(RolloutExplainer.nodeStateReason(given.upgrade(NODE)))
                .isEqualTo(
                        new Cause(
                                "NOT_WELL_IN_TIME",
                                "Not proven well while the rollout is being cancelled, so it is"
                                        + " brought back: No health-evaluator is heard."));

        given.restores(NODE);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Cancelled.class);
    }

    @Test
    @DisplayName("A18: also of a canary that was being observed when the evaluators went")
    void aCancellationEndsWithoutAnyEvaluatorToObserveTheCanary() {
        Given canary = Given.canary(2, MigrationType.NONE).start();
        NodeId node = canary.inFlight().getFirst();
        canary.installs(node).isHealthy(node);
        assertThat(canary.state(node)).isInstanceOf(NodeState.Observed.class);

        canary.fleet.health = false;
        canary.fleet.verdicts.clear();
        canary.request(new OperatorRequest.Cancel());
        Duration observed = canary.rollout.spec().observationDuration().plus(NO_HEARTBEAT);
        canary.at(observed.minusSeconds(1)).plan();
        assertThat(canary.state(node)).isInstanceOf(NodeState.Observed.class);

        canary.at(Duration.ofSeconds(1)).plan();
        assertThat(canary.state(node)).isInstanceOf(NodeState.Restoring.class);

        canary.restores(node);
        assertThat(canary.rollout.state()).isInstanceOf(RolloutState.Cancelled.class);
    }

    @Test
    @DisplayName("A18: and though evaluators come and go, each time too soon to judge anything")
    void aCancellationEndsThoughEvaluatorsComeAndGo() {
        given.request(new OperatorRequest.Cancel());
        for (int minute = 1; minute < 6; minute++) {
            comesAgain(Duration.ofMinutes(1));
            assertThat(given.state(NODE)).isInstanceOf(NodeState.Settling.class);
        }
        comesAgain(Duration.ofMinutes(1));

        assertThat(given.state(NODE)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    @DisplayName("R3: an evaluator that goes late has as long to come back as any other silence")
    void aMomentWithoutAnEvaluatorLateDecidesNothing() {
        given.at(Duration.ofSeconds(110)).plan();
        receiveHeartbeat();
        given.at(Duration.ofSeconds(20)).plan();
        given.fleet.health = false;
        given.fleet.healthLostSince = given.now;
        given.fleet.verdicts.clear();
        given.plan().at(NO_HEARTBEAT.minusSeconds(1)).plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);

        given.at(Duration.ofSeconds(1)).plan();
        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
    }

    @Test
    @DisplayName("0074: a canary whose agent dials elsewhere for a moment is observed on")
    void briefHeartbeatGapKeepsTheObservation() {
        Given canary = unresponsiveCanary();
        NodeId node = canary.inFlight().getFirst();
        canary.at(Duration.ofSeconds(9)).plan();
        assertThat(canary.state(node)).isInstanceOf(NodeState.Observed.class);

        canary.fleet.noHeartbeatSince.remove(node);
        canary.isHealthy(node).at(Duration.ofSeconds(6)).plan();
        assertThat(canary.state(node)).isInstanceOf(NodeState.Succeeded.class);
    }

    @Test
    @DisplayName("F3: one that is silent for as long as it takes to become well is observed anew")
    void longHeartbeatGapEndsTheObservation() {
        Given canary = unresponsiveCanary();
        canary.at(Duration.ofSeconds(10)).plan();
        assertThat(canary.state(canary.inFlight().getFirst()))
                .isInstanceOf(NodeState.Settling.class);
    }

    /** Observed for 5 s of 20 s, and then not heard of any more; the wait is 10 s. */
    private static Given unresponsiveCanary() {
        Given canary = Given.canary(2, MigrationType.NONE).start();
        NodeId node = canary.inFlight().getFirst();
        canary.installs(node).isHealthy(node).at(Duration.ofSeconds(5));
        canary.fleet.verdicts.remove(node);
        canary.fleet.noHeartbeatSince.put(node, canary.now);
        return canary.plan();
    }

    private void comesAgain(Duration later) {
        given.at(later);
        given.fleet.healthSince = given.now;
        given.plan();
    }

    @Test
    @DisplayName("R3: past the limit of silence a silence of a moment decides nothing")
    void briefHeartbeatGapAtTheEndDecidesNothing() {
        given.at(Duration.ofSeconds(110)).plan();
        receiveHeartbeat();
        given.at(Duration.ofSeconds(20)).plan();
        falls();
        given.plan(); // 130 s after it was installed
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);

        given.at(NO_HEARTBEAT.minusSeconds(1)).plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        given.at(Duration.ofSeconds(1)).plan();
        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
    }

    @Test
    @DisplayName("R3: nor does an agent that is away for a moment by then fail its node")
    void briefDisconnectAtTheEndFailsNothing() {
        given.at(Duration.ofSeconds(110)).plan();
        receiveHeartbeat();
        given.at(Duration.ofSeconds(20)).plan();
        given.fleet.disconnect(NODE, given.now);
        given.plan();
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Settling.class);

        given.at(NO_HEARTBEAT.minusSeconds(1)).plan();
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Settling.class);
        given.at(Duration.ofSeconds(1)).plan();
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Unreachable.class);
    }

    @Test
    @DisplayName("A18: a node that comes and goes keeps no rollout open, and is not brought back")
    void whatComesAndGoesPausesInTheEnd() {
        comesAndGoesFor(Duration.ofMinutes(6).minusSeconds(20));
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);

        comesAndGoesFor(Duration.ofSeconds(20));
        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Settling.class);
        assertThat(given.received.getLast().because().sentence())
                .startsWith("Node node-01 is heard and lost again and again");
        assertThat(given.incidents)
                .containsExactly(stalled("UNHEARD", given.received.getLast().because().sentence()));

        given.request(new OperatorRequest.Resume(0));
        comesAndGoesFor(Duration.ofMinutes(5));
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
    }

    @Test
    @DisplayName("R3: what was not heard while the coordinator itself saw nothing does not count")
    void nodesThatBecomeVisibleHaveTheirFullTime() {
        given.fleet.completeSince = null;
        given.at(Duration.ofMinutes(14)).plan();
        given.fleet.completeSince = given.now;
        given.at(RolloutTimeouts.STANDARD.blindGrace().minusSeconds(1));
        receiveHeartbeat();
        given.at(Duration.ofSeconds(1)).plan();

        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
    }

    @Test
    @DisplayName("A18: nor a cancellation: there it is brought back")
    void whatComesAndGoesEndsACancellation() {
        given.request(new OperatorRequest.Cancel());
        comesAndGoesFor(Duration.ofMinutes(6));

        assertThat(given.state(NODE)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    @DisplayName("A18: nor a canary that is well again and again, and never for long enough")
    void aCanaryThatIsLostAgainAndAgainEndsACancellation() {
        Given canary = Given.canary(2, MigrationType.NONE).start();
        NodeId node = canary.inFlight().getFirst();
        canary.installs(node);
        canary.request(new OperatorRequest.Cancel());
        Duration most = RolloutTimeouts.STANDARD.work().plus(NO_HEARTBEAT.multipliedBy(3));
        for (Duration past = Duration.ZERO; past.compareTo(most) < 0; past = past.plusMinutes(1)) {
            assertThat(canary.state(node)).isInstanceOf(NodeState.Settling.class);
            canary.isHealthy(node);
            assertThat(canary.state(node)).isInstanceOf(NodeState.Observed.class);
            canary.fleet.verdicts.remove(node);
            canary.fleet.noHeartbeatSince.put(node, canary.now);
            canary.plan().at(Duration.ofMinutes(1)).plan();
        }

        assertThat(canary.state(node)).isInstanceOf(NodeState.Restoring.class);
    }

    private void comesAndGoesFor(Duration length) {
        for (Duration past = Duration.ZERO; past.compareTo(length) < 0; ) {
            receiveHeartbeat();
            given.at(Duration.ofSeconds(10)).plan();
            falls();
            given.at(Duration.ofSeconds(10)).plan();
            past = past.plusSeconds(20);
        }
    }

    private void receiveHeartbeat() {
        given.fleet.settling(NODE, given.upgrade(NODE).attempt());
        given.fleet.receivedSince.put(NODE, given.now);
        given.fleet.noHeartbeatSince.remove(NODE);
    }

    private void falls() {
        long attempt = given.upgrade(NODE).attempt();
        given.fleet.verdicts.put(NODE, new HealthVerdict.NoData(attempt, "No heartbeat."));
        given.fleet.receivedSince.remove(NODE);
        given.fleet.noHeartbeatSince.put(NODE, given.now);
    }

    @Test
    @DisplayName("What does not lead sees nobody, and blames nobody")
    void observerWithoutDataReportsNoFailure() {
        given.at(NO_HEARTBEAT).plan();
        given.fleet.seen = false;
        given.fleet.health = false;

        assertThat(RolloutExplainer.rolloutReason(given.rollout, given.fleet).sentence())
                .contains("is known to the coordinator that leads alone")
                .doesNotContain("health-evaluator");
        assertThat(
                        RolloutExplainer.nodeReason(given.rollout, given.upgrade(NODE), given.fleet)
                                .code())
                .as("not that there is no data of it")
                .isEqualTo("SETTLING");
    }

    @Test
    void thePauseIsExplainedByWhatHoldsItUpNow() {
        given.at(NO_HEARTBEAT).plan();
        given.fleet.settling(NODE, given.upgrade(NODE).attempt());
        assertThat(RolloutExplainer.rolloutReason(given.rollout, given.fleet).sentence())
                .isEqualTo(
                        "No health verdicts were to be had; they are to be had again: resume it.");

        given.fleet.health = false;
        assertThat(RolloutExplainer.rolloutReason(given.rollout, given.fleet).sentence())
                .contains("look at the health-evaluator and at the way");
    }
}
