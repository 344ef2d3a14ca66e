package drover.coordinator.plan.group;

import drover.coordinator.plan.Transition;
import drover.model.RefusalCode;
import java.util.List;

/** What becomes of a request to a group. */
public sealed interface GroupDecision {
    /** The rules allow it. */
    record Applied(RolloutGroup next, List<Transition> transitions, List<Steering> steerings)
            implements GroupDecision {
        public Applied {
            transitions = List.copyOf(transitions);
            steerings = List.copyOf(steerings);
        }
    }

    /**
     * The rules say no.
     *
     * @param sentence one sentence for a person: why, and what to do instead
     */
    record Refused(RefusalCode code, String sentence) implements GroupDecision {}
}
