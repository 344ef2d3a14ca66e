package drover.coordinator.plan.health;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.step.Effect;
import drover.coordinator.plan.step.StepDraft;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * When another health-evaluator is asked of a node that is connected and of which the present one
 * hears nothing (decision 0086). Pure.
 *
 * <p>One that cannot reach a gateway is no illness of that gateway's nodes (rule R3), and another
 * one may reach it. Asked for in every state that waits for health, paused ones too: whoever
 * resumes finds the evaluator that hears. It moves no deadline.
 */
public final class EvaluatorFailover {
    private EvaluatorFailover() {}

    /** What is asked for now, if it is. */
    public static Optional<Effect> findSwitchEffect(StepDraft draft, NodeUpgrade node) {
        return draft.isPast(switchTime(draft, node))
                ? Optional.of(new Effect.SwitchHealthEvaluator(node.id(), node.attempt()))
                : Optional.empty();
    }

    /** From when on another one is wanted; never while it is heard or nothing could be heard. */
    public static Instant switchTime(StepDraft draft, NodeUpgrade node) {
        return switch (node.state()) {
            case NodeState.Settling settling ->
                    switchTime(draft, node, settling.attempt(), settling.since());
            case NodeState.Observed observed ->
                    switchTime(draft, node, observed.attempt(), observed.wellSince());
            case NodeState.Succeeded succeeded ->
                    switchTime(draft, node, succeeded.attempt(), succeeded.since());
            case NodeState.Restored restored ->
                    switchTime(draft, node, restored.attempt(), restored.since());
            case NodeState.RolledBack back
                    when RestoredNodeHealthGate.isHealthAwaited(draft.spec, draft.fleet, node) ->
                    switchTime(draft, node, back.attempt(), back.since());
            default -> Instant.MAX; // of nothing else is health waited for
        };
    }

    private static Instant switchTime(
            StepDraft draft, NodeUpgrade node, long attempt, Instant since) {
        FleetView fleet = draft.fleet;
        boolean noData =
                fleet.node(node.id()) instanceof NodeView.Present
                        && HealthGate.verdict(draft, node, attempt) instanceof HealthVerdict.NoData;
        if (!noData
                || fleet.completeViewSince() == null
                || fleet.evaluatorConnectedSince() == null) {
            return Instant.MAX;
        }
        return latest(
                        since,
                        fleet.evaluatorConnectedSince(),
                        fleet.noHealthDataSince(node.id()),
                        fleet.observableSince(node.id()))
                .plus(RolloutTimeouts.EVALUATOR_SWITCH_AFTER);
    }

    private static Instant latest(Instant first, @Nullable Instant... others) {
        return Stream.of(others)
                .flatMap(Stream::ofNullable)
                .filter(other -> other.isAfter(first))
                .max(Instant::compareTo)
                .orElse(first);
    }
}
