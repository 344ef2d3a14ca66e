package drover.coordinator.plan.group;

import drover.coordinator.plan.RolloutState;

/**
 * What a group sees of the rollout of a component.
 *
 * @param begun it was started at some time; one that was not has changed nothing
 */
public record ComponentView(RolloutState state, boolean begun) {
    boolean isFinal() {
        return state.isFinal();
    }
}
