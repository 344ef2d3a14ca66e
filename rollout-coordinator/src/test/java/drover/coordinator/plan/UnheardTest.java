package drover.coordinator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.NodeId;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A node whose agent is connected, and of which who judges it hears nothing. */
class UnheardTest {
    private static final NodeId NODE = Given.node(1);
    private static final Duration UNHEARD = Duration.ofMinutes(2); // the wait is 10 s

    private final Given given = Given.rolling(1, 1).start().installs(NODE);

    @Test
    @DisplayName("R3: a connected node of which the evaluator hears nothing is not brought back")
    void pausesAtTheDeadlineAndSaysOfWhichNodeNothingIsHeard() {
        given.at(UNHEARD).plan();

        assertThat(given.state(NODE)).isInstanceOf(NodeState.Settling.class);
        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
        String sentence =
                "Of node node-01 nothing is heard: No verdict yet. Look at the way from the"
                        + " health-evaluator to its gateway, then resume, or roll back.";
        assertThat(given.told.getLast().because())
                .isEqualTo(new Cause("HEALTH_UNAVAILABLE", sentence));
        assertThat(Explanation.rolloutReason(given.rollout, given.fleet).sentence())
                .isEqualTo(sentence);

        given.isWell(NODE);
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Succeeded.class);
    }

    @Test
    @DisplayName("A18: what pauses by itself and waits for a person is an incident as well")
    void thePauseIsAnIncidentOfTheNode() {
        Rollout before = given.rollout;
        given.at(UNHEARD).plan();
        Transition noted = given.told.get(given.told.size() - 2);
        assertThat(noted.node()).isEqualTo(NODE);
        assertThat(noted.because().code()).isEqualTo(IncidentRules.UNHEARD);

        assertThat(IncidentRules.of(before, given.rollout, Map.of(NODE, noted.because())))
                .containsExactly(
                        new IncidentChange.Open(
                                IncidentCategory.UPGRADE_STALLED,
                                IncidentSeverity.MAJOR,
                                NODE,
                                given.rollout.id(),
                                noted.because(),
                                ""));
    }

    @Test
    @DisplayName("A18: whoever resumes gives the node its whole time again")
    void doesNotPauseAgainAsSoonAsItIsResumed() {
        given.at(UNHEARD.plusHours(1)).plan();
        given.ask(new OperatorRequest.Resume(0));
        given.at(UNHEARD.minusSeconds(1)).plan();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);

        given.at(Duration.ofSeconds(1)).plan();
        given.isPausedFor(PauseReason.HEALTH_UNAVAILABLE);
    }

    @Test
    @DisplayName("A18: a cancellation ends though nothing is ever heard of a node")
    void aCancellationDoesNotWaitForEver() {
        given.ask(new OperatorRequest.Cancel());
        given.at(UNHEARD).plan();
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Restoring.class);

        given.restores(NODE);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Cancelled.class);
    }

    @Test
    @DisplayName("A18: so does one that was asked for when it had paused for that node")
    void aCancellationOutOfThePauseEndsToo() {
        given.at(UNHEARD).plan();
        given.ask(new OperatorRequest.Cancel());
        given.plan().restores(NODE);

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
    void whatIsHeardLateHasItsTimeFromThenOn() {
        given.at(Duration.ofSeconds(110)).plan(); // its agent had to dial another gateway
        given.fleet.settling(NODE, given.upgrade(NODE).attempt());
        given.fleet.heardSince.put(NODE, given.now);
        given.at(Duration.ofSeconds(29)).plan();
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Settling.class);

        given.at(Duration.ofSeconds(1)).plan();
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    void thePauseIsExplainedByWhatHoldsItUpNow() {
        given.at(UNHEARD).plan();
        given.fleet.settling(NODE, given.upgrade(NODE).attempt());
        assertThat(Explanation.rolloutReason(given.rollout, given.fleet).sentence())
                .isEqualTo(
                        "No health verdicts were to be had; they are to be had again: resume it.");

        given.fleet.health = false;
        assertThat(Explanation.rolloutReason(given.rollout, given.fleet).sentence())
                .contains("look at the health-evaluator and at the way");
    }
}
