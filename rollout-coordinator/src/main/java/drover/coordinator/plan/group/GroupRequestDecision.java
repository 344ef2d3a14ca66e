package drover.coordinator.plan.group;

import drover.coordinator.plan.model.Transition;
import drover.model.RefusalCode;
import java.util.List;

/** What becomes of a request to a group. */
public sealed interface GroupRequestDecision {
    /** The rules allow it. */
    record Applied(
            RolloutGroup next,
            List<Transition> transitions,
            List<RequestToComponent> componentRequests)
            implements GroupRequestDecision {
        public Applied {
            transitions = List.copyOf(transitions);
            componentRequests = List.copyOf(componentRequests);
        }
    }

    /**
     * The rules say no.
     *
     * @param sentence one sentence for a person: why, and what to do instead
     */
    record Refused(RefusalCode code, String sentence) implements GroupRequestDecision {}
}
