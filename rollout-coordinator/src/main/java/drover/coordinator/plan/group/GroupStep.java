package drover.coordinator.plan.group;

import drover.coordinator.plan.model.Transition;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a group does next.
 *
 * @param componentRequests what is asked of components, written down with the step
 * @param wakeAt when to look again; null when only a change is waited for
 */
public record GroupStep(
        RolloutGroup next,
        List<RequestToComponent> componentRequests,
        List<Transition> transitions,
        @Nullable Instant wakeAt) {
    public GroupStep {
        componentRequests = List.copyOf(componentRequests);
        transitions = List.copyOf(transitions);
    }

    /** Whether there is anything to commit. */
    public boolean hasChanges() {
        return !componentRequests.isEmpty() || !transitions.isEmpty();
    }
}
