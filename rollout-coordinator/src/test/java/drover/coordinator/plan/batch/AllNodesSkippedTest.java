package drover.coordinator.plan.batch;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.explain.RolloutExplainer;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipSummary;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.request.OperatorRequest;
import drover.model.NodeId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A rollout that skipped every node has not done what it was created for. */
class AllNodesSkippedTest {
    private static final NodeId FIRST = Given.node(1);
    private static final NodeId SECOND = Given.node(2);
    private static final String DRIFT = "sha256:other";

    @Test
    void failsWhenEveryNodeHasDrifted() {
        Given given = Given.rolling(2, 2);
        drifts(given, FIRST);
        drifts(given, SECOND);
        given.start().isObserved();
        assertAllSkipped(
                given,
                "Every node was skipped (2 DRIFTED): remove the causes and create the rollout again.");
    }

    @Test
    void failsWhenSomeNodesRunTheTargetAndTheOthersWereSkipped() {
        Given given = Given.rolling(2, 2);
        runsTarget(given, FIRST);
        drifts(given, SECOND);
        given.start().isObserved();
        assertAllSkipped(
                given,
                "Every node was skipped (1 ALREADY_THERE, 1 DRIFTED): remove the causes and create the rollout again.");
    }

    @Test
    void failsWhenEveryNodeIsHeldUntilTheEnd() {
        Given given = Given.rolling(1, 1);
        given.request(new OperatorRequest.HoldNode(FIRST, given.now.plus(Duration.ofHours(1))));
        given.start().isObserved();
        assertAllSkipped(
                given,
                "Every node was skipped (1 HELD): remove the causes and create the rollout again.");
    }

    @Test
    void failsWhenTheOfflineBudgetCoversEveryNode() {
        Given given =
                Given.withOfflineBudget(2, new Strategy.Rolling(2), new Threshold.Count(0), 2);
        given.fleet.disconnect(FIRST, Given.START.minusSeconds(61));
        given.fleet.disconnect(SECOND, Given.START.minusSeconds(61));
        given.start().isObserved();
        assertAllSkipped(
                given,
                "Every node was skipped (2 OFFLINE): remove the causes and create the rollout again.");
    }

    @Test
    void failsWhenTheOperatorSkipsTheOnlyNode() {
        Given given = Given.rolling(1, 1).start().fails(FIRST);
        given.isPausedFor(PauseReason.FAILURE_THRESHOLD);
        given.request(new OperatorRequest.SkipNode(FIRST));
        given.request(new OperatorRequest.Resume(0));
        given.plan().isObserved();
        assertAllSkipped(
                given,
                "Every node was skipped (1 OPERATOR): remove the causes and create the rollout again.");
    }

    @Test
    void namesHowToContinueTheGroupOfAComponent() {
        Given given = Given.rolling(1, 1);
        drifts(given, FIRST);
        given.start().isObserved();
        Rollout alone = given.rollout;
        Rollout component =
                new Rollout(
                        alone.id(),
                        alone.revision(),
                        alone.spec().asComponentOf("g-1", 1),
                        alone.state(),
                        0,
                        0,
                        alone.batches(),
                        alone.nodes());

        assertThat(SkipSummary.of(component).allSkippedSentence())
                .isEqualTo(
                        "Every node was skipped (1 DRIFTED): remove the causes and create the group"
                                + " again, or continue the paused group without this component"
                                + " (drover group skip g-1).");
    }

    @Test
    void completesWhenEveryNodeRunsTheTargetAlready() {
        Given given = Given.rolling(2, 2);
        runsTarget(given, FIRST);
        runsTarget(given, SECOND);
        given.start().isObserved();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Completed.class);
    }

    @Test
    void completesWhenOneNodeIsUpgraded() {
        Given given = Given.rolling(2, 2);
        drifts(given, FIRST);
        given.start().batchSucceeds().isObserved();
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Completed.class);
    }

    private static void drifts(Given given, NodeId node) {
        given.fleet.connect(node, DRIFT, Given.OLD_CONFIG.value());
    }

    private static void runsTarget(Given given, NodeId node) {
        given.fleet.connect(node, Given.NEW.value(), Given.NEW_CONFIG.value());
    }

    private static void assertAllSkipped(Given given, String sentence) {
        assertThat(given.rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.Failed.class,
                        failed ->
                                assertThat(failed.reason())
                                        .isEqualTo(RolloutFailureReason.ALL_NODES_SKIPPED));
        assertThat(RolloutExplainer.rolloutReason(given.rollout, given.fleet).sentence())
                .isEqualTo(sentence);
        assertThat(given.received.getLast().because().sentence()).isEqualTo(sentence);
    }
}
