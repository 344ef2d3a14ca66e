package drover.coordinator.plan.model;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.Given;
import drover.coordinator.plan.RolloutPlanner;
import drover.coordinator.plan.StepViolationFinder;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.step.Step;
import drover.model.MigrationType;
import drover.model.NodeId;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A6: a rollout pauses when more nodes failed than the threshold tolerates. */
class ThresholdTest {
    private static final int MAX_NODES = 60;

    @ParameterizedTest(name = "{0} of {1} nodes failed, {2} % tolerated: exceeded = {3}")
    @DisplayName("A6: a percentage is compared exactly, also where it does not divide evenly")
    @CsvSource({
        "1,    3,   33, true", // 33.33 %
        "1,    3,   34, false",
        "2,    3,   66, true",
        "2,    3,   67, false",
        "1,    7,   14, true", // 14.29 %
        "1,    7,   15, false",
        "1,  101,    0, true",
        "0,  101,    0, false",
        "1,  100,    1, false",
        "2,  100,    1, true",
        "199, 200,  99, true", // 99.5 %
        "200, 200, 100, false",
        "0,    0,    0, false",
        "21474837, 21474837, 100, false", // the product exceeds 32 bits
        "21474837, 21474837,  99, true",
    })
    void comparesPercentagesExactly(int failures, int attempted, int percent, boolean exceeded) {
        assertThat(new Threshold.Percent(percent).isExceededBy(failures, attempted))
                .isEqualTo(exceeded);
    }

    @Test
    @DisplayName("A6: every percentage of every small rollout agrees with decimal arithmetic")
    void agreesWithDecimalArithmetic() {
        for (int attempted = 1; attempted <= MAX_NODES; attempted++) {
            for (int failures = 0; failures <= attempted; failures++) {
                for (int percent = 0; percent <= 100; percent++) {
                    assertThat(new Threshold.Percent(percent).isExceededBy(failures, attempted))
                            .as("%d of %d failed, %d %%", failures, attempted, percent)
                            .isEqualTo(isMore(failures, attempted, percent));
                }
            }
        }
    }

    /** Whether the failures are more than the tolerated part, without a division. */
    private static boolean isMore(int failures, int attempted, int percent) {
        BigDecimal tolerated =
                BigDecimal.valueOf(attempted).multiply(BigDecimal.valueOf(percent, 2));
        return BigDecimal.valueOf(failures).compareTo(tolerated) > 0;
    }

    @Test
    @DisplayName("A6: skipped nodes are not among the attempted ones")
    void skippedNodesAreNotAttempted() {
        Given given =
                Given.of(5, new Strategy.Rolling(4), new Threshold.Percent(50), MigrationType.NONE)
                        .start();
        given.fails(Given.node(1)).fails(Given.node(2));
        given.request(new OperatorRequest.SkipNode(Given.node(1)));
        given.plan();
        assertThat(given.rollout.state())
                .as("1 of 3 failed")
                .isInstanceOf(RolloutState.Running.class);

        given.fails(Given.node(3));

        given.isPausedFor(PauseReason.FAILURE_THRESHOLD); // 2 of 3
    }

    @Test
    @DisplayName("A6: the independent check does not count skipped nodes as attempted either")
    void theCheckDoesNotCountSkippedNodes() {
        Given given =
                Given.of(5, new Strategy.Rolling(4), new Threshold.Percent(50), MigrationType.NONE)
                        .start();
        given.fails(Given.node(1)).fails(Given.node(2)).installs(Given.node(3));
        given.installs(Given.node(4)).isHealthy(Given.node(3));
        given.fleet.healthy(Given.node(4), given.upgrade(Given.node(4)).attempt());
        Step dispatch =
                RolloutPlanner.plan(
                        given.rollout, given.fleet, RolloutTimeouts.STANDARD, given.now);
        assertThat(dispatch.attempts()).as("2 of 4 failed").hasSize(1);
        Map<NodeId, NodeUpgrade> nodes = new LinkedHashMap<>(dispatch.next().nodes());
        nodes.computeIfPresent(
                Given.node(3),
                (_, node) ->
                        node.withState(new NodeState.Skipped(SkipReason.OPERATOR, "", given.now)));
        nodes.computeIfPresent(
                Given.node(4),
                (_, node) ->
                        node.withState(new NodeState.Skipped(SkipReason.OPERATOR, "", given.now)));
        Rollout skipped = dispatch.next();
        Step with =
                new Step(
                        true,
                        new Rollout(
                                skipped.id(),
                                skipped.revision(),
                                skipped.spec(),
                                skipped.state(),
                                0,
                                0,
                                skipped.batches(),
                                nodes),
                        List.of(),
                        dispatch.attempts(),
                        List.of(),
                        Set.of(),
                        null);

        assertThat(StepViolationFinder.findViolations(given.rollout, with, given.fleet))
                .containsExactly("A6: dispatched with 2 failed");
    }

    @ParameterizedTest(name = "{0} failures, {1} tolerated: exceeded = {2}")
    @CsvSource({"0, 0, false", "1, 0, true", "1, 1, false", "2, 1, true"})
    void comparesCounts(int failures, int tolerated, boolean exceeded) {
        assertThat(new Threshold.Count(tolerated).isExceededBy(failures, 1)).isEqualTo(exceeded);
        assertThat(new Threshold.Count(tolerated).isExceededBy(failures, 1_000))
                .as("independent of the number of nodes")
                .isEqualTo(exceeded);
    }
}
