package drover.coordinator.plan.health;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.incident.IncidentChange.CloseMatching;
import drover.coordinator.plan.incident.IncidentChange.Open;
import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.model.Handover;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.observed.StandbyAgent;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.step.Effect;
import drover.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When the old agent of a node may go (seed 001, Operator-side coordination). */
class OldAgentStopRulesTest {
    private static final NodeId NODE = Given.node(1);

    private final Given given = Given.rolling(1, 1).start().starts(NODE);

    @Test
    void oldAgentIsStoppedOnceItsSuccessorReported() {
        ready();
        assertThat(stops()).isEmpty();

        standby("v2", Given.NEW.value(), true);

        assertThat(stops()).containsExactly(stop(1));
        assertThat(transitions(OldAgentStopRules.SUCCESSOR_SEEN)).hasSize(1);
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Upgrading.class);
    }

    @ParameterizedTest
    @CsvSource({
        "v2, new, false, it has only said hello or is being replaced itself",
        "v1, new, true, another version",
        "unknown, new, true, it says no version",
        "v2, old, true, another jar under the same version",
        "v2, '', true, it has not said what it runs",
        "v3, other, true, neither",
    })
    @DisplayName("001: at the desired version and digest, and running; anything less keeps the old")
    void nothingLessLetsTheOldAgentGo(String version, String what, boolean running, String why) {
        ready();

        standby(version, what.isEmpty() ? "" : drover.model.Digest.of(what).value(), running);

        assertThat(stops()).as(why).isEmpty();
        assertThat(transitions(OldAgentStopRules.SUCCESSOR_SEEN)).as(why).isEmpty();
    }

    @Test
    void whatNamesABuildDoesNotCount() {
        ready();

        standby("v2+build.7", Given.NEW.value(), true);

        assertThat(stops()).hasSize(1);
    }

    @Test
    @DisplayName("001: the old one's word is not enough, nor is the new one's alone")
    void ignoresAStandbyWithoutAHandover() {
        standby("v2", Given.NEW.value(), true);

        assertThat(stops()).isEmpty();
        assertThat(given.upgrade(NODE).handover()).isEqualTo(Handover.none());
    }

    @Test
    @DisplayName("001: a successor that fell again leaves the old one alive, until it is back")
    void aSuccessorThatFellKeepsTheOldOne() {
        ready();
        standby("v2", Given.NEW.value(), true);

        given.fleet.standbys.remove(NODE);
        assertThat(given.plan().last.effects()).noneMatch(Effect.StopOldAgent.class::isInstance);

        standby("v2", Given.NEW.value(), true);
        assertThat(stops()).containsExactly(stop(1));
        assertThat(transitions(OldAgentStopRules.SUCCESSOR_SEEN)).as("seen once").hasSize(1);
    }

    @Test
    void acknowledgementReportsTheSuccessor() {
        ready();
        assertThat(acknowledged()).isFalse();

        standby("v2", Given.NEW.value(), true);

        assertThat(acknowledged()).isTrue();
    }

    @Test
    void successorEndsTheAttemptAndNoAgentIsStopped() {
        ready();
        standby("v2", Given.NEW.value(), true);

        given.fleet.standbys.remove(NODE);
        given.installs(NODE);

        assertThat(given.state(NODE)).isInstanceOf(NodeState.Settling.class);
        assertThat(given.upgrade(NODE).handover()).isEqualTo(Handover.none());
        standby("v2", Given.NEW.value(), true); // its stream is not seen to have ended yet
        assertThat(stops()).isEmpty();
    }

    @Test
    @DisplayName("001: an agent that goes back by itself is not stopped any more")
    void anAgentThatGoesBackIsNotStopped() {
        ready();

        given.fleet.handsOver(NODE, 1, false);
        given.plan();
        standby("v2", Given.NEW.value(), true);

        assertThat(stops()).isEmpty();
        assertThat(transitions(OldAgentStopRules.ABANDONED)).hasSize(1);
        assertThat(given.upgrade(NODE).handover()).isEqualTo(Handover.none());
    }

    @Test
    @DisplayName("001: an older desired version is the same path")
    void aRestoreHandsOverToTheOlderOne() {
        given.installs(NODE).isHealthy(NODE);
        given.request(new OperatorRequest.Rollback());
        given.plan();
        given.fleet.handsOver(NODE, 2, true);
        given.plan();

        standby("v2", Given.NEW.value(), true);
        assertThat(stops()).as("the new version again").isEmpty();
        standby("v1", Given.OLD.value(), true);

        assertThat(stops()).containsExactly(new Effect.StopOldAgent(NODE, 2, "v1", Given.OLD));
    }

    @Test
    void opensAnIncidentWhenNoAgentTakesOverForFifteenMinutes() {
        ready();
        Instant since = given.now;
        assertThat(given.last.wakeAt())
                .isBeforeOrEqualTo(since.plus(OldAgentStopRules.STALLED_AFTER));

        given.at(OldAgentStopRules.STALLED_AFTER.minusSeconds(1)).plan();
        assertThat(given.upgrade(NODE).handover().isStalled()).isFalse();
        Rollout before = given.rollout;
        given.at(Duration.ofSeconds(1)).plan();

        assertThat(IncidentRules.changesBetween(before, given.rollout, List.of()))
                .singleElement()
                .isInstanceOfSatisfying(
                        Open.class,
                        open -> {
                            assertThat(open.category())
                                    .isEqualTo(IncidentCategory.AGENT_HANDOVER_STALLED);
                            assertThat(open.because().code())
                                    .isEqualTo(NodeUpgrade.HANDOVER_STALLED);
                        });
        assertThat(transitions(NodeUpgrade.HANDOVER_STALLED)).hasSize(1);
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Upgrading.class);
    }

    @Test
    @DisplayName("R3: a leader that could not see does not say that nobody took over")
    void leaderWithoutFleetVisibilityReportsNoBlockedNode() {
        ready();
        given.at(OldAgentStopRules.STALLED_AFTER);
        given.fleet.completeSince = given.now;

        given.plan();

        assertThat(given.upgrade(NODE).handover().isStalled()).isFalse();
        assertThat(given.last.wakeAt()).isNotNull();
    }

    @Test
    void theIncidentEndsWithTheAttempt() {
        ready();
        given.at(OldAgentStopRules.STALLED_AFTER).plan();
        Rollout stalled = given.rollout;
        standby("v2", Given.NEW.value(), true);
        assertThat(IncidentRules.changesBetween(stalled, given.rollout, List.of()))
                .as("seen late")
                .isEmpty();

        given.installs(NODE);

        assertThat(IncidentRules.changesBetween(stalled, given.rollout, List.of()))
                .singleElement()
                .isInstanceOfSatisfying(
                        CloseMatching.class,
                        close ->
                                assertThat(close.categories())
                                        .containsExactly(IncidentCategory.AGENT_HANDOVER_STALLED));
    }

    @Test
    void reportsASuccessorThatDoesNotFinish() {
        ready();
        standby("v2", Given.NEW.value(), true);

        given.at(OldAgentStopRules.STALLED_AFTER).plan();

        assertThat(given.upgrade(NODE).handover().isStalled()).isTrue();
    }

    @Test
    @DisplayName("R1: an attempt that took too long still ends by its agents' word")
    void anUnreachableNodeIsStillHandedOver() {
        ready();
        given.at(RolloutTimeouts.STANDARD.work()).plan();
        assertThat(given.state(NODE)).isInstanceOf(NodeState.Unreachable.class);

        standby("v2", Given.NEW.value(), true);

        assertThat(stops()).containsExactly(stop(1));
    }

    private void ready() {
        given.fleet.handsOver(NODE, given.upgrade(NODE).attempt(), true);
        given.plan();
    }

    private void standby(String version, String digest, boolean running) {
        given.fleet.standbys.put(NODE, new StandbyAgent(version, digest, 2, running));
        given.plan();
    }

    private static Effect.StopOldAgent stop(long attempt) {
        return new Effect.StopOldAgent(NODE, attempt, "v2", Given.NEW);
    }

    private List<Effect> stops() {
        return given.plan().last.effects().stream()
                .filter(Effect.StopOldAgent.class::isInstance)
                .toList();
    }

    private boolean acknowledged() {
        return given.plan().last.effects().stream()
                .filter(Effect.Acknowledge.class::isInstance)
                .map(Effect.Acknowledge.class::cast)
                .anyMatch(Effect.Acknowledge::successorSeen);
    }

    private List<Transition> transitions(String code) {
        return given.received.stream().filter(move -> move.because().code().equals(code)).toList();
    }
}
