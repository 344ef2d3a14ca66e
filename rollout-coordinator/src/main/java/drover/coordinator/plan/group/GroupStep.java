package drover.coordinator.plan.group;

import drover.coordinator.plan.Transition;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a group does next.
 *
 * @param steerings what is asked of components, written down with the step
 * @param wakeAt when to look again; null when only a change is waited for
 */
public record GroupStep(
        RolloutGroup next,
        List<Steering> steerings,
        List<Transition> transitions,
        @Nullable Instant wakeAt) {
    public GroupStep {
        steerings = List.copyOf(steerings);
        transitions = List.copyOf(transitions);
    }

    /** Whether there is anything to commit. */
    public boolean changed() {
        return !steerings.isEmpty() || !transitions.isEmpty();
    }
}
