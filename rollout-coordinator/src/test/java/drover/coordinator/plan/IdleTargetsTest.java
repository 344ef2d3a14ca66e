package drover.coordinator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.plan.request.OperatorRequestRules;
import drover.coordinator.plan.request.RequestDecision;
import drover.coordinator.plan.step.Step;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What a batch costs does not follow the fleet: a changed step is one commit, a changed node is one
 * row of it, and so is a transition.
 */
class IdleTargetsTest {
    private static final int BATCH = 10;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    /**
     * What was written and asked for until a batch had passed.
     *
     * @param commits steps that changed something
     * @param rows nodes that changed, over all of them
     * @param history transitions
     * @param effects what others were asked for, over all steps
     */
    private record Cost(int commits, int rows, int history, int effects) {
        Cost and(Rollout before, Step step) {
            int changed =
                    (int)
                            step.next().nodes().values().stream()
                                    .filter(node -> !node.equals(before.nodes().get(node.id())))
                                    .count();
            return new Cost(
                    commits + (step.changed() ? 1 : 0),
                    rows + changed,
                    history + step.transitions().size(),
                    effects + step.effects().size());
        }
    }

    @Test
    void aBatchOfTenCostsTheSameBesideTenIdleTargetsAndBesideTenThousand() {
        Cost few = firstBatchOf(BATCH + 10);
        Cost many = firstBatchOf(BATCH + 9_990); // 10,000: the most a rollout may have

        assertThat(many).isEqualTo(few);
        assertThat(few.commits()).isBetween(3, 8);
        assertThat(few.rows()).isEqualTo(BATCH * 3 + BATCH); // and the next batch is assigned
    }

    private Cost firstBatchOf(int targets) {
        ScriptedFleet fleet = new ScriptedFleet();
        Rollout rollout =
                SampleRollout.of(
                        new RolloutId("idle"),
                        SampleRollout.Plan.rolling("idle", targets, BATCH),
                        now);
        rollout.nodes()
                .keySet()
                .forEach(
                        node ->
                                fleet.connect(
                                        node,
                                        SampleRollout.OLD.value(),
                                        SampleRollout.OLD_CONFIG.value()));
        RequestDecision started =
                OperatorRequestRules.decide(
                        rollout, SampleRollout.submitted(new OperatorRequest.Start()), fleet, now);
        Rollout running = ((RequestDecision.Applied) started).next();
        Cost cost = new Cost(0, 0, 0, 0);
        for (int turn = 0; turn < 10 && isFirstBatchUnderWay(running); turn++) {
            Step step = RolloutPlanner.plan(running, fleet, RolloutTimeouts.STANDARD, now);
            cost = cost.and(running, step);
            fleet.commit(rollout.id(), step);
            running = step.next();
            agentsAndEvaluatorSpeak(running, fleet);
            now = now.plusMillis(25);
        }
        assertThat(isFirstBatchUnderWay(running)).isFalse();
        return cost;
    }

    private static boolean isFirstBatchUnderWay(Rollout rollout) {
        return rollout.batches().getFirst().phase() != BatchPhase.PROMOTED;
    }

    private static void agentsAndEvaluatorSpeak(Rollout rollout, ScriptedFleet fleet) {
        List<NodeUpgrade> inFlight =
                rollout.nodes().values().stream()
                        .filter(node -> node.state().isInFlight())
                        .toList();
        for (NodeUpgrade node : inFlight) {
            switch (node.state()) {
                case NodeState.Assigned assigned ->
                        fleet.report(
                                node.id(),
                                node.attempt(),
                                AttemptOutcome.SUCCEEDED,
                                SampleRollout.NEW.value(),
                                SampleRollout.NEW_CONFIG.value());
                case NodeState.Settling settling -> healthy(fleet, node.id(), settling.attempt());
                default -> throw new IllegalStateException("Not in this story: " + node.state());
            }
        }
    }

    private static void healthy(ScriptedFleet fleet, NodeId node, long attempt) {
        fleet.healthy(node, attempt);
    }
}
