package drover.coordinator.engine.leader;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.leader.ReconnectingAgent.Left;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.sql.TestDatabase;
import drover.model.RolloutId;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** R3: blind is not bad, with the loops as they are and the times of the product. */
final class FleetVisibilityLossIT {
    private TestDatabase database;
    private VirtualTimeTerm term;
    private ReconnectingAgent unresponsive;
    private RolloutId id;

    @BeforeEach
    void startRolloutWithUnresponsiveNode() {
        database = TestDatabase.open();
        term = new VirtualTimeTerm(database);
        unresponsive = term.fleet("demo", 3, Left.NEVER_RECEIVED);
        id = term.create(Plan.rolling("demo", 3, 1));
        term.submit(id, new OperatorRequest.Start());
    }

    @AfterEach
    void closeTheTerm() {
        if (term != null) {
            term.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private NodeState unresponsiveNode() {
        return term.node(id, unresponsive).state();
    }

    @Test
    @DisplayName("R3: no deadline is judged before the fleet has been in full view for 120 s")
    void deadlineWithoutFleetVisibilityIsExtendedByTwoMinutes() {
        term.pass(Duration.ofSeconds(30));
        term.loseFleetVisibility();
        term.pass(Duration.ofMinutes(10)); // the node had 60 s to begin
        assertThat(unresponsiveNode()).isInstanceOf(NodeState.Assigned.class);

        term.seeAgain();
        term.pass(Duration.ofSeconds(115));
        assertThat(unresponsiveNode())
                .as("in view for 115 s")
                .isInstanceOf(NodeState.Assigned.class);

        term.pass(Duration.ofSeconds(10));
        assertThat(unresponsiveNode()).isInstanceOf(NodeState.Unreachable.class);
    }

    @Test
    @DisplayName("R3: losing sight again starts the two minutes anew")
    void everyLossOfFleetVisibilityRestartsTheTime() {
        term.pass(Duration.ofSeconds(100));
        term.loseFleetVisibility();
        term.pass(Duration.ofSeconds(10));
        term.seeAgain();
        term.pass(Duration.ofSeconds(100));

        assertThat(unresponsiveNode())
                .as("silent for 210 s")
                .isInstanceOf(NodeState.Assigned.class);
    }

    @Test
    @DisplayName("R3: blind for 15 minutes pauses the rollout and judges no node")
    void aLongBlindnessPausesAndJudgesNothing() {
        term.loseFleetVisibility();
        term.pass(Duration.ofMinutes(14));
        assertThat(term.rollout(id).state()).isInstanceOf(RolloutState.Running.class);

        term.pass(Duration.ofMinutes(2));

        assertThat(term.rollout(id).state())
                .isInstanceOfSatisfying(
                        RolloutState.Paused.class,
                        paused ->
                                assertThat(paused.reason())
                                        .isEqualTo(PauseReason.NO_FLEET_VISIBILITY));
        assertThat(unresponsiveNode())
                .as("never judged; what has not begun is withdrawn by the pause")
                .isInstanceOfSatisfying(
                        NodeState.Assigned.class,
                        assigned -> assertThat(assigned.withdrawing()).isTrue());
        assertThat(term.rollout(id).counters().failed()).isZero();
        assertThat(term.rollout(id).counters().pending()).isEqualTo(3);
    }
}
