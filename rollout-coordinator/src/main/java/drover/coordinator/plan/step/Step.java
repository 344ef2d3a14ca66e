package drover.coordinator.plan.step;

import drover.coordinator.plan.incident.IncidentChange;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.Transition;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a rollout does next.
 *
 * @param changed whether there is anything to commit
 * @param next the rollout afterwards
 * @param transitions what moved, in order
 * @param attempts new attempts
 * @param stalls incidents of this step that no state tells of
 * @param effects everything the world should know after the commit
 * @param wakeAt when to look again even if nothing happens; null for never
 */
public record Step(
        boolean changed,
        Rollout next,
        List<Transition> transitions,
        List<AssignedAttempt> attempts,
        List<IncidentChange.Open> stalls,
        Set<Effect> effects,
        @Nullable Instant wakeAt) {
    public Step {
        transitions = List.copyOf(transitions);
        attempts = List.copyOf(attempts);
        stalls = List.copyOf(stalls);
        effects = Set.copyOf(effects);
    }

    /**
     * A new attempt on a node.
     *
     * @param restoreOf the attempt it undoes; 0 for an upgrade
     */
    public record AssignedAttempt(drover.model.NodeId node, long attempt, long restoreOf) {}
}
