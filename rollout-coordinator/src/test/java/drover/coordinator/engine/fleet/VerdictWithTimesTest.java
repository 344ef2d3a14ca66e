package drover.coordinator.engine.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.RolloutTimeouts;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class VerdictWithTimesTest {
    private static final Instant EARLY = Instant.parse("2026-01-01T00:00:00Z");
    private static final Instant LATE = EARLY.plusSeconds(60);
    private static final Instant LATER = EARLY.plusSeconds(90);
    private static final HealthVerdict UNRESPONSIVE = new HealthVerdict.NoData(1, "Nothing.");
    private static final HealthVerdict SETTLING = settling(1);

    private static HealthVerdict settling(long attempt) {
        return new HealthVerdict.Settling(attempt, "It is not up.");
    }

    @Test
    void hasDataSinceTheFirstVerdict() {
        VerdictWithTimes later =
                VerdictWithTimes.first(SETTLING, EARLY).withVerdict(SETTLING, LATE);

        assertThat(later.dataSince()).isEqualTo(EARLY);
        assertThat(later.noDataSince()).isNull();
    }

    @Test
    void hasDataAgainAfterABreak() {
        VerdictWithTimes neverReceived =
                VerdictWithTimes.first(SETTLING, EARLY).withVerdict(UNRESPONSIVE, LATE);
        VerdictWithTimes again = neverReceived.withVerdict(SETTLING, LATER);

        assertThat(neverReceived.dataSince()).isNull();
        assertThat(again.dataSince()).isEqualTo(LATER);
        assertThat(again.noDataSince()).isNull();
    }

    @Test
    void hasDataAgainInAnotherAttempt() {
        VerdictWithTimes other =
                VerdictWithTimes.first(SETTLING, EARLY).withVerdict(settling(2), LATE);

        assertThat(other.dataSince()).isEqualTo(LATE);
    }

    @Test
    void gapLastsFromItsFirstMoment() {
        VerdictWithTimes neverReceived =
                VerdictWithTimes.first(SETTLING, EARLY).withVerdict(UNRESPONSIVE, LATE);

        assertThat(neverReceived.noDataSince()).isEqualTo(LATE);
        assertThat(neverReceived.withVerdict(UNRESPONSIVE, LATER).noDataSince()).isEqualTo(LATE);
    }

    @Test
    void unknownNodesHaveNoTimeOfLoss() {
        VerdictWithTimes never =
                VerdictWithTimes.first(UNRESPONSIVE, EARLY).withVerdict(UNRESPONSIVE, LATE);
        VerdictWithTimes another =
                VerdictWithTimes.first(settling(2), EARLY).withVerdict(UNRESPONSIVE, LATE);

        assertThat(never.noDataSince()).isNull();
        assertThat(another.noDataSince()).as("of another attempt").isNull();
    }

    @Test
    void reassignedNodesHaveNoDataUntilTheFirstVerdict() {
        VerdictWithTimes moved =
                VerdictWithTimes.afterEvaluatorSwitch(
                        VerdictWithTimes.first(SETTLING, EARLY), 1, LATE);

        assertThat(moved.verdict()).isInstanceOf(HealthVerdict.NoData.class);
        assertThat(moved.noDataSince()).isEqualTo(LATE);
        assertThat(moved.movedAt()).isEqualTo(LATE);
        assertThat(moved.withVerdict(SETTLING, LATER).movedAt()).isEqualTo(LATE);
        assertThat(moved.withVerdict(settling(2), LATER).movedAt()).as("another attempt").isNull();
    }

    @Test
    @DisplayName("what is heard keeps its deadline when another one is asked that speaks in time")
    void reassignmentIsNoBreak() {
        VerdictWithTimes moved =
                VerdictWithTimes.afterEvaluatorSwitch(
                        VerdictWithTimes.first(SETTLING, EARLY), 1, LATE);

        assertThat(moved.withVerdict(SETTLING, LATER).dataSince()).isEqualTo(EARLY);
        assertThat(moved.withVerdict(UNRESPONSIVE, LATE).withVerdict(SETTLING, LATER).dataSince())
                .as("at first it had no heartbeat yet")
                .isEqualTo(EARLY);
        assertThat(moved.withVerdict(SETTLING, LATER).noDataSince()).isNull();
        assertThat(moved.withVerdict(settling(2), LATER).dataSince())
                .as("another attempt")
                .isEqualTo(LATER);
    }

    @Test
    void gapAfterAReassignmentIsAGap() {
        VerdictWithTimes moved =
                VerdictWithTimes.afterEvaluatorSwitch(
                        VerdictWithTimes.first(SETTLING, EARLY), 1, LATE);
        Instant since = LATE.plus(RolloutTimeouts.EVALUATOR_SWITCH_AFTER);

        assertThat(moved.withVerdict(SETTLING, since).dataSince()).isEqualTo(since);
        assertThat(moved.withVerdict(UNRESPONSIVE, LATER).withVerdict(SETTLING, since).dataSince())
                .isEqualTo(since);
        assertThat(
                        VerdictWithTimes.afterEvaluatorSwitch(moved, 1, LATER)
                                .withVerdict(SETTLING, since)
                                .dataSince())
                .as("asked of a third one meanwhile")
                .isEqualTo(since);
        assertThat(moved.withVerdict(SETTLING, LATE).withVerdict(UNRESPONSIVE, LATER).dataSince())
                .as("silent at the new one")
                .isNull();
        VerdictWithTimes noData =
                VerdictWithTimes.first(SETTLING, EARLY)
                        .withVerdict(UNRESPONSIVE, EARLY.plusSeconds(20));
        assertThat(
                        VerdictWithTimes.afterEvaluatorSwitch(noData, 1, LATE)
                                .withVerdict(SETTLING, LATER)
                                .dataSince())
                .as("silent before, at the first one")
                .isEqualTo(LATER);
    }

    @Test
    void gapKeepsItsStartAfterAReassignment() {
        VerdictWithTimes noData =
                VerdictWithTimes.first(SETTLING, EARLY).withVerdict(UNRESPONSIVE, LATE);

        assertThat(VerdictWithTimes.afterEvaluatorSwitch(noData, 1, LATER).noDataSince())
                .isEqualTo(LATE);
        assertThat(VerdictWithTimes.afterEvaluatorSwitch(null, 1, LATER).noDataSince())
                .as("of which nothing was ever heard")
                .isNull();
    }

    @Test
    @DisplayName("R3: whoever is asked once an evaluator is lost has its time")
    void gapStartsWithTheLossOfTheEvaluator() {
        VerdictWithTimes next = VerdictWithTimes.afterEvaluatorLoss(1, LATE);

        assertThat(next.verdict()).isInstanceOf(HealthVerdict.NoData.class);
        assertThat(next.noDataSince()).isEqualTo(LATE);
        assertThat(next.withVerdict(UNRESPONSIVE, LATER).noDataSince()).isEqualTo(LATE);
        assertThat(next.withVerdict(SETTLING, LATER).dataSince()).isEqualTo(LATER);
    }
}
