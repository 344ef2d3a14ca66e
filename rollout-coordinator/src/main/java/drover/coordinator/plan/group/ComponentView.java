package drover.coordinator.plan.group;

import drover.coordinator.plan.RolloutState;

/**
 * What a group sees of the rollout of a component.
 *
 * @param begun it was started at some time; one that was not has changed nothing
 * @param createdBy who created it, and with it the group; empty when that is not known
 * @param secondPerson why somebody else must start it; empty when its creator may
 */
public record ComponentView(
        RolloutState state, boolean begun, String createdBy, String secondPerson) {
    /** One that anybody may start. */
    public ComponentView(RolloutState state, boolean begun) {
        this(state, begun, "", "");
    }

    boolean isFinal() {
        return state.isFinal();
    }
}
