package drover.coordinator.plan.request;

import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.Transition;
import drover.model.RefusalCode;
import java.util.List;

/** What becomes of a request. */
public sealed interface RequestDecision {
    /** The rules allow it. */
    record Applied(Rollout next, List<Transition> transitions) implements RequestDecision {
        public Applied {
            transitions = List.copyOf(transitions);
        }
    }

    /**
     * The rules say no.
     *
     * @param sentence one sentence for a person: why, and what to do instead
     */
    record Refused(RefusalCode code, String sentence) implements RequestDecision {}
}
