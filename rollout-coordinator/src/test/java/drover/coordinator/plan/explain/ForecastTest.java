package drover.coordinator.plan.explain;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.SampleRollout;
import drover.coordinator.plan.SampleRollout.Plan;
import drover.coordinator.plan.batch.CanarySeedCalculator;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.model.Threshold;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A sample node is to be well for 10 s; agents are taken to work for 4 s. */
final class ForecastTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final NodeWorkEstimate WORK = new NodeWorkEstimate(Duration.ofSeconds(4), 3);

    private static Rollout rollout(int nodes, Strategy strategy) {
        return SampleRollout.of(
                new RolloutId("r"),
                new Plan(
                        "demo",
                        nodes,
                        strategy,
                        new Threshold.Count(0),
                        0,
                        MigrationType.BREAKING,
                        7),
                START);
    }

    private static Rollout with(Rollout rollout, RolloutState state, NodeState... states) {
        Map<NodeId, NodeUpgrade> nodes = new LinkedHashMap<>(rollout.nodes());
        List<NodeId> ids = List.copyOf(nodes.keySet());
        for (int i = 0; i < states.length; i++) {
            NodeState next = states[i];
            nodes.computeIfPresent(ids.get(i), (id, node) -> node.withState(next));
        }
        return new Rollout(rollout.id(), 2, rollout.spec(), state, 0, 0, rollout.batches(), nodes);
    }

    private static long seconds(Rollout rollout, int later) {
        return RolloutForecast.of(rollout, WORK, START.plusSeconds(later))
                .expectedDuration()
                .toSeconds();
    }

    @Test
    void batchesFollowEachOtherAndNodesOfOneGoTogether() {
        assertThat(seconds(rollout(5, new Strategy.Rolling(2)), 0)).isEqualTo(3 * (4 + 10));
    }

    @Test
    void nodesBeyondMaxInFlightWaitForTheFirst() {
        assertThat(seconds(rollout(250, new Strategy.AllAtOnce(10, false, false)), 0))
                .as("100 at once: three waves")
                .isEqualTo(3 * (4 + 10));
        assertThat(seconds(rollout(250, new Strategy.AllAtOnce(10, false, true)), 0))
                .as("health is not waited for")
                .isEqualTo(3 * 4);
    }

    @Test
    void aCanaryIsObservedForLongerAndAPersonIsWaitedForAfterIt() {
        RolloutForecast forecast =
                RolloutForecast.of(rollout(3, new Strategy.Canary(1, 2)), WORK, START);

        assertThat(forecast.parts())
                .extracting(part -> part.expected().toSeconds())
                .containsExactly(4L + 10 + 20, 4L + 10);
        assertThat(forecast.parts())
                .extracting(RolloutForecast.BatchForecast::awaitsApproval)
                .containsExactly(true, false);
    }

    @Test
    void whatIsDoneAlreadyIsNotCountedAgain() {
        Rollout running =
                with(
                        rollout(2, new Strategy.Rolling(1)),
                        new RolloutState.Running(START),
                        new NodeState.Settling(1, "run", START.plusSeconds(4)));

        assertThat(seconds(running, 11)).as("3 s of health, then a whole node").isEqualTo(3 + 14);
        assertThat(RolloutForecast.of(running, WORK, START.plusSeconds(60)).expectedDuration())
                .as("late, but never less than nothing")
                .hasSeconds(14);
    }

    @Test
    void nothingRemainsOfWhatHasEnded() {
        Rollout ended =
                with(rollout(2, new Strategy.Rolling(1)), new RolloutState.Cancelled(START));

        assertThat(RolloutForecast.of(ended, WORK, START).parts()).isEmpty();
    }

    @Test
    void aRollbackRestoresModifiedNodesFromTheNewestBatchAndWaitsForHealth() {
        Rollout before = rollout(3, new Strategy.Rolling(1));
        NodeState.Restoring restoring = NodeState.Restoring.forRollback(2, 1, START);
        Rollout back = with(before, new RolloutState.RollingBack(START), restoring, restoring);

        RolloutForecast forecast = RolloutForecast.of(back, WORK, START);

        assertThat(forecast.parts())
                .extracting(RolloutForecast.BatchForecast::nodes)
                .as("the newest batch first; the third node was not modified")
                .containsExactly(
                        List.of(SampleRollout.node("demo", 2)),
                        List.of(SampleRollout.node("demo", 1)));
        assertThat(forecast.expectedDuration())
                .as("work and health wait, two times")
                .hasSeconds(2 * (4 + 10));
    }

    @Test
    void theMedianIsTakenOfWhatWasMeasured() {
        assertThat(
                        NodeWorkEstimate.of(
                                List.of(
                                        Duration.ofSeconds(90),
                                        Duration.ofSeconds(4),
                                        Duration.ofSeconds(5))))
                .isEqualTo(new NodeWorkEstimate(Duration.ofSeconds(5), 3));
        assertThat(NodeWorkEstimate.of(List.of())).isEqualTo(NodeWorkEstimate.UNMEASURED);
    }

    @Test
    void theCanaryIsTheSameForTheSameArtifactAndAnotherForAnother() {
        Rollout rollout = rollout(5, new Strategy.Canary(1, 2));
        List<NodeId> nodes = List.copyOf(rollout.nodes().keySet());

        assertThat(CanarySeedCalculator.of(rollout.spec(), nodes.reversed()))
                .isEqualTo(CanarySeedCalculator.of(rollout.spec(), nodes))
                .isNotEqualTo(CanarySeedCalculator.of(rollout.spec(), nodes.subList(0, 4)));
    }
}
