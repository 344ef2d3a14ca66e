package drover.coordinator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.OperatorRequestRules;
import drover.coordinator.plan.request.RequestDecision;
import drover.coordinator.plan.step.Step;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Guards against work per tick that grows with the square of the fleet. */
class TickCostTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final int TARGETS = 10_000; // the most a rollout may have
    private static final int TICKS = 60;

    /** Of processor time: a busy machine takes no more of that. */
    private static final ThreadMXBean THREAD = ManagementFactory.getThreadMXBean();

    @Test
    @DisplayName(
            "A tick over ten times as many targets costs about ten times as much, not a hundred")
    void theCostOfATickDoesNotGrowWithTheSquareOfTheFleet() {
        Duration small = tickOver(TARGETS / 10);
        Duration large = tickOver(TARGETS);

        assertThat(large).isLessThan(small.multipliedBy(40));
    }

    /** Median processor time of a tick while 100 nodes are in flight. */
    private static Duration tickOver(int targets) {
        Rollout rollout =
                SampleRollout.of(
                        new RolloutId("large"),
                        SampleRollout.Plan.rolling("demo", targets, 1_000),
                        NOW);
        ScriptedFleet fleet = new ScriptedFleet();
        for (NodeId node : rollout.nodes().keySet()) {
            fleet.connect(node, SampleRollout.OLD.value(), SampleRollout.OLD_CONFIG.value());
        }
        Rollout running = start(rollout, fleet);
        assertThat(running.nodes().values().stream().filter(n -> n.state().isInFlight()))
                .hasSize(100);

        List<Duration> took = new ArrayList<>();
        for (int tick = 0; tick < TICKS; tick++) {
            long startedNanos = THREAD.getCurrentThreadCpuTime();
            RolloutPlanner.plan(
                    running, fleet, RolloutTimeouts.STANDARD, NOW.plusSeconds(tick % 30));
            took.add(Duration.ofNanos(THREAD.getCurrentThreadCpuTime() - startedNanos));
        }
        return took.stream().sorted().toList().get(TICKS / 2);
    }

    private static Rollout start(Rollout rollout, ScriptedFleet fleet) {
        RequestDecision decision =
                OperatorRequestRules.decide(
                        rollout, SampleRollout.submitted(new OperatorRequest.Start()), fleet, NOW);
        Rollout started = ((RequestDecision.Applied) decision).next();
        Step step = RolloutPlanner.plan(started, fleet, RolloutTimeouts.STANDARD, NOW);
        fleet.commit(rollout.id(), step);
        return step.next();
    }
}
