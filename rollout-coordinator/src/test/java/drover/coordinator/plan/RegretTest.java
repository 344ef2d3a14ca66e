package drover.coordinator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.model.AttemptOutcome;
import drover.model.NodeId;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Proof, then a regret window. */
class RegretTest {
    private static final NodeId FIRST = Given.node(1);
    private static final Cause FALLS = new Cause("CRASH_LOOP", "It fell 3 times.");

    private final Given given = Given.rolling(3, 1).start().batchSucceeds();

    private void finds(NodeId node, Cause finding) {
        given.fleet.unwell(node, given.upgrade(node).attempt(), finding);
        given.plan();
    }

    @Test
    void aSucceededNodeIsWatchedWhileItsRolloutRuns() {
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
        assertThat(given.last.effects())
                .anyMatch(effect -> effect instanceof Effect.Watch && effect.node().equals(FIRST));
    }

    @Test
    @DisplayName("A6: a success that proves wrong is taken back and can pause the rollout")
    void aCrashLoopAfterTheSuccessIsCountedAgainstTheThreshold() {
        finds(FIRST, FALLS);

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
        assertThat(given.rollout.counters().succeeded()).isZero();
        given.restores(FIRST);

        assertThat(given.state(FIRST))
                .isInstanceOfSatisfying(
                        NodeState.Failed.class,
                        failed -> assertThat(failed.cause().code()).isEqualTo("CRASH_LOOP"));
        assertThat(given.rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.Paused.class,
                        paused ->
                                assertThat(paused.reason())
                                        .isEqualTo(PauseReason.FAILURE_THRESHOLD));
    }

    @Test
    void aBadMomentOfTheProgramIsNoRegret() {
        finds(FIRST, new Cause("APPLICATION_CRITICAL", "It is critical."));

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
    }

    @Test
    @DisplayName("D17: an upgrade that the node itself took back is not counted any more")
    void anUpgradeTakenBackOnTheNodeIsFailed() {
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
    void anEndedRolloutRegretsNothing() {
        given.batchSucceeds().batchSucceeds();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Completed.class);

        finds(FIRST, FALLS);

        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
    }
}
