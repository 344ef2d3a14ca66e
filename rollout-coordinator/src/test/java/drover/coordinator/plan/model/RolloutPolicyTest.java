package drover.coordinator.plan.model;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.explain.FinishByForecast;
import drover.coordinator.plan.explain.FinishByForecast.Outlook;
import drover.coordinator.plan.explain.NodeWorkEstimate;
import drover.coordinator.plan.explain.RolloutForecast;
import drover.coordinator.plan.request.OperatorRequest;
import drover.model.MigrationType;
import drover.model.NodeId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RolloutPolicyTest {
    private static final NodeId FIRST = Given.node(1);
    private static final RolloutPolicy ROLLBACK =
            new RolloutPolicy(
                    FailureAction.ROLLBACK,
                    null,
                    ExpectedFailureReasons.NONE,
                    RollbackHealthPolicy.WAIT,
                    0,
                    NodeOrder.DEFAULT);
    private static final NodeWorkEstimate MEASURED =
            NodeWorkEstimate.of(List.of(Duration.ofMinutes(1)));

    private static Given behaving(Given given, RolloutPolicy conduct) {
        Rollout was = given.rollout;
        given.rollout =
                new Rollout(
                        was.id(),
                        was.revision(),
                        was.spec().withPolicy(conduct),
                        was.state(),
                        0,
                        0,
                        was.batches(),
                        was.nodes());
        return given;
    }

    @Test
    void failuresBeyondTheThresholdRollBackByThemselves() {
        Given given =
                behaving(Given.rolling(3, 2), ROLLBACK)
                        .start()
                        .installs(FIRST)
                        .isHealthy(FIRST)
                        .fails(Given.node(2));

        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RollingBack.class);
        assertThat(given.received)
                .anySatisfy(
                        move -> {
                            assertThat(move.to()).isEqualTo("rolling_back");
                            assertThat(move.because().code()).isEqualTo("FAILURE_THRESHOLD");
                        });
        given.restores(FIRST);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    void aFailedCanaryRollsBackByItself() {
        Given given = behaving(Given.canary(3, MigrationType.NONE), ROLLBACK).start();
        NodeId canary = given.inFlight().getFirst();
        given.fails(canary);

        assertThat(given.rollout.state()).isInstanceOf(RolloutState.RolledBack.class);
    }

    @Test
    void whatTheThresholdToleratesStillWaitsForAPerson() {
        Given given =
                behaving(
                                Given.of(
                                        2,
                                        new Strategy.Rolling(2),
                                        new Threshold.Count(1),
                                        MigrationType.NONE),
                                ROLLBACK)
                        .start()
                        .installs(FIRST)
                        .isHealthy(FIRST)
                        .fails(Given.node(2));

        assertThat(given.rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.Paused.class,
                        paused ->
                                assertThat(paused.reason())
                                        .isEqualTo(PauseReason.FAILED_NODES_REMAIN));
    }

    private static Given expecting(int atMost) {
        return behaving(
                        Given.rolling(4, 1),
                        RolloutPolicy.DEFAULT.withExpected(
                                new ExpectedFailureReasons(Set.of("START_FAILED"), atMost)))
                .start();
    }

    @Test
    @DisplayName("A6: an expected failure does not count, up to the cap")
    void expectedFailuresDoNotCountUpToTheCap() {
        Given given = expecting(1).fails(FIRST);
        assertThat(given.rollout.thresholdFailureCount()).isZero();
        assertThat(given.inFlight()).containsExactly(Given.node(2));

        given.fails(Given.node(2));
        assertThat(given.rollout.thresholdFailureCount()).isEqualTo(1);
        assertThat(given.rollout.state()).isInstanceOf(RolloutState.Paused.class);
    }

    @Test
    void inACanaryEveryFailureCounts() {
        Given given =
                behaving(
                                Given.canary(3, MigrationType.NONE),
                                RolloutPolicy.DEFAULT.withExpected(
                                        new ExpectedFailureReasons(Set.of("START_FAILED"), 9)))
                        .start();
        given.fails(given.inFlight().getFirst());

        assertThat(given.rollout.state())
                .isInstanceOfSatisfying(
                        RolloutState.Paused.class,
                        paused -> assertThat(paused.reason()).isEqualTo(PauseReason.CANARY_FAILED));
    }

    private static FinishByForecast punctuality(
            Given given, NodeWorkEstimate work, Duration finishIn) {
        Instant finishBy = given.now.plus(finishIn);
        RolloutForecast forecast = RolloutForecast.of(given.rollout, work, given.now);
        return FinishByForecast.of(given.rollout, forecast, work, finishBy, null, given.now);
    }

    @Test
    void measuredPaceForecastsTheEnd() {
        Given given = Given.rolling(3, 1).start(); // 3 × (1 minute of work + 10 s of health)

        FinishByForecast inTime = punctuality(given, MEASURED, Duration.ofMinutes(4));
        assertThat(inTime.outlook()).isEqualTo(Outlook.ON_TRACK);
        assertThat(inTime.expectedEnd()).isEqualTo(given.now.plusSeconds(210));
        assertThat(punctuality(given, MEASURED, Duration.ofMinutes(3)).outlook())
                .isEqualTo(Outlook.LATE);
    }

    @Test
    void showsNoForecastWithoutMeasurements() {
        Given given = Given.rolling(3, 1).start();

        assertThat(punctuality(given, NodeWorkEstimate.UNMEASURED, Duration.ofMinutes(4)).outlook())
                .isEqualTo(Outlook.UNKNOWN);
        assertThat(
                        punctuality(given, NodeWorkEstimate.UNMEASURED, Duration.ofMinutes(-1))
                                .outlook())
                .isEqualTo(Outlook.LATE);
    }

    @Test
    void whileAPersonIsWaitedForNothingIsPromised() {
        Given given = Given.rolling(3, 1).start();
        given.request(new OperatorRequest.Pause());

        assertThat(punctuality(given, MEASURED, Duration.ofHours(1)).outlook())
                .isEqualTo(Outlook.UNKNOWN);
        assertThat(punctuality(given, MEASURED, Duration.ofSeconds(1)).outlook())
                .isEqualTo(Outlook.LATE);
    }

    @Test
    @DisplayName("Seed 003: the old version until its batch is exposed, then the new, then the old")
    void aNodeShallRunTheTargetOnlyFromItsTurnOn() {
        Given given = Given.rolling(2, 1).start();
        assertThat(desired(given, FIRST)).isEqualTo("v2");
        assertThat(desired(given, Given.node(2))).isEqualTo("v1");

        given.batchSucceeds();
        assertThat(desired(given, Given.node(2))).isEqualTo("v2");
        given.request(new OperatorRequest.Rollback());
        given.plan();
        given.restores(FIRST).plan();
        assertThat(desired(given, FIRST)).isEqualTo("v1");
    }

    private static String desired(Given given, NodeId node) {
        CurrentDesiredProgram desired =
                CurrentDesiredProgram.of(
                        given.rollout.id(), given.rollout.spec(), given.upgrade(node));
        assertThat(desired.rollout()).isEqualTo(given.rollout.id());
        return desired.version().value();
    }
}
