package drover.coordinator.plan;

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
final class Unheard {
    private Unheard() {}

    /** What is asked for now, if it is. */
    static Optional<Effect> effect(PlanDraft draft, NodeUpgrade node) {
        return draft.isPast(elsewhereAt(draft, node))
                ? Optional.of(new Effect.HearElsewhere(node.id(), node.attempt()))
                : Optional.empty();
    }

    /** From when on another one is wanted; never while it is heard or nothing could be heard. */
    static Instant elsewhereAt(PlanDraft draft, NodeUpgrade node) {
        return switch (node.state()) {
            case NodeState.Settling settling ->
                    elsewhereAt(draft, node, settling.attempt(), settling.since());
            case NodeState.Observed observed ->
                    elsewhereAt(draft, node, observed.attempt(), observed.wellSince());
            case NodeState.Succeeded succeeded ->
                    elsewhereAt(draft, node, succeeded.attempt(), succeeded.since());
            case NodeState.Restored restored ->
                    elsewhereAt(draft, node, restored.attempt(), restored.since());
            default -> Instant.MAX; // of nothing else is health waited for
        };
    }

    private static Instant elsewhereAt(
            PlanDraft draft, NodeUpgrade node, long attempt, Instant since) {
        FleetView fleet = draft.fleet;
        boolean silent =
                fleet.node(node.id()) instanceof NodeView.Present
                        && HealthGate.verdict(draft, node, attempt) instanceof HealthVerdict.NoData;
        if (!silent || fleet.completeSince() == null || fleet.healthSince() == null) {
            return Instant.MAX;
        }
        return latest(
                        since,
                        fleet.healthSince(),
                        fleet.unheardSince(node.id()),
                        fleet.couldBeHeardSince(node.id()))
                .plus(Timings.DEAF);
    }

    private static Instant latest(Instant first, @Nullable Instant... others) {
        return Stream.of(others)
                .flatMap(Stream::ofNullable)
                .filter(other -> other.isAfter(first))
                .max(Instant::compareTo)
                .orElse(first);
    }
}
