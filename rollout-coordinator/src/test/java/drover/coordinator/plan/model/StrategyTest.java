package drover.coordinator.plan.model;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.model.MigrationType;
import drover.model.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Strategies and limits, from the first dispatch to the end. */
final class StrategyTest {
    private static final NodeId FIRST = Given.node(1);
    private static final NodeId SECOND = Given.node(2);

    private static Given of(int nodes, Strategy strategy) {
        return Given.of(nodes, strategy, new Threshold.Count(0), MigrationType.NONE);
    }

    @Test
    @DisplayName("Seed 003: 12 nodes go in steps of 1, 1, 1, 3 and 6, each after the one before")
    void theLadderIsClimbedRungByRung() {
        Given given = of(12, new Strategy.Progressive(10)).start();
        List<Integer> rungs = new ArrayList<>();
        while (!given.inFlight().isEmpty()) {
            rungs.add(given.inFlight().size());
            given.batchSucceeds();
        }
        assertThat(rungs).containsExactly(1, 1, 1, 3, 6);
        given.isObserved();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Completed.class);
    }

    @Test
    void theLadderStopsAtAFailedRung() {
        Given given = of(12, new Strategy.Progressive(10)).start().batchSucceeds();
        given.fails(given.inFlight().getFirst());
        assertThat(given.inFlight()).isEmpty();
        assertThat(given.rollout.counters().succeeded()).isEqualTo(1);
        assertThat(pause(given)).isEqualTo(PauseReason.FAILURE_THRESHOLD);
    }

    @Test
    void allAtOnceSendsEveryNodeInOneBatch() {
        Given given = of(12, new Strategy.AllAtOnce(10, false, false)).start();
        assertThat(given.inFlight()).hasSize(12);
        assertThat(given.batchSucceeds().isObserved().rollout.state())
                .isInstanceOf(RolloutState.Completed.class);
    }

    @Test
    void allAtOncePausesAtAFailureUnlessItIsForced() {
        Given given = of(3, new Strategy.AllAtOnce(10, false, false)).start().fails(FIRST);
        assertThat(pause(given)).isEqualTo(PauseReason.FAILURE_THRESHOLD);
    }

    @Test
    void forcedRolloutContinuesPastFailuresAndEndsAsFailed() {
        Given given = of(150, new Strategy.AllAtOnce(10, true, false)).start();
        for (NodeId node : given.inFlight().subList(0, 60)) {
            given.fails(node);
        }
        while (!given.inFlight().isEmpty()) {
            given.batchSucceeds();
        }
        given.isObserved();
        assertThat(given.rollout.counters().succeeded()).isEqualTo(90);
        assertThat(given.rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.Failed.class,
                        failed ->
                                assertThat(failed.reason())
                                        .isEqualTo(RolloutFailureReason.NODES_FAILED));
    }

    @Test
    void withoutValidationANodeCountsOnceItsTargetIsVerified() {
        Given given = of(2, new Strategy.AllAtOnce(10, false, true)).start();
        given.installs(FIRST).installs(SECOND);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Completed.class);
        assertThat(given.received).extracting(t -> t.because().code()).contains("NOT_VALIDATED");
    }

    @Test
    @DisplayName("D5: without validation the digest of what runs is looked at all the same")
    void withoutValidationAnotherProgramIsStillRefused() {
        Given given = of(1, new Strategy.AllAtOnce(10, false, true)).start();
        given.fleet.report(
                FIRST,
                1,
                drover.model.AttemptOutcome.SUCCEEDED,
                Given.OLD.value(),
                Given.NEW_CONFIG.value());
        given.plan();
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Restoring.class);
    }

    @Test
    void aNodeFollowsWhenOneOfThoseInFlightIsDecided() {
        Given given = of(130, new Strategy.AllAtOnce(10, false, false)).start();
        List<NodeId> pending =
                given.rollout.nodes().keySet().stream()
                        .filter(node -> !given.inFlight().contains(node))
                        .sorted()
                        .toList();
        assertThat(given.inFlight()).hasSize(100);
        given.installs(FIRST);
        assertThat(given.inFlight()).as("settling is in flight").hasSize(100);
        given.isHealthy(FIRST);
        assertThat(given.inFlight()).hasSize(100).doesNotContain(FIRST);
        assertThat(given.state(pending.get(0))).isInstanceOf(NodeState.Assigned.class);
        assertThat(given.state(pending.get(1))).isInstanceOf(NodeState.Pending.class);
    }

    @Test
    @DisplayName("A6: a threshold in percent is of the nodes of the batches so far")
    void aThresholdInPercentCountsTheBatchesSoFar() {
        Given given =
                Given.of(
                                20,
                                new Strategy.Rolling(10),
                                new Threshold.Percent(10),
                                MigrationType.NONE)
                        .start();
        given.fails(FIRST);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Running.class);
        given.fails(SECOND);
        assertThat(pause(given))
                .as("2 of 10 are more than 10 %")
                .isEqualTo(PauseReason.FAILURE_THRESHOLD);
    }

    @Test
    @DisplayName(
            "A7: an offline node goes behind the ladder, and comes into its own when it is back")
    void anOfflineNodeOfTheLadderIsDeferred() {
        Given given = of(12, new Strategy.Progressive(10));
        given.fleet.disconnect(FIRST, Given.START.minus(Duration.ofMinutes(2)));
        given.start();
        assertThat(given.upgrade(FIRST).batch()).isEqualTo(4);
        assertThat(given.inFlight()).containsExactly(SECOND);
        given.fleet.connect(FIRST, Given.OLD.value(), Given.OLD_CONFIG.value());
        while (!given.inFlight().isEmpty()) {
            given.batchSucceeds();
        }
        assertThat(given.state(FIRST)).isInstanceOf(NodeState.Succeeded.class);
    }

    private static PauseReason pause(Given given) {
        return given.rollout.state() instanceof RolloutState.Paused paused
                ? paused.reason()
                : PauseReason.OPERATOR;
    }
}
