package drover.coordinator.plan.group;

import drover.coordinator.plan.model.RolloutState;

/**
 * What a group sees of the rollout of a component.
 *
 * @param started it was started at some time; one that was not has changed nothing
 * @param createdBy who created it, and with it the group; empty when that is not known
 * @param secondPersonReason why somebody else must start it; empty when its creator may
 */
public record ComponentRolloutSummary(
        RolloutState state, boolean started, String createdBy, String secondPersonReason) {
    /** One that anybody may start. */
    public ComponentRolloutSummary(RolloutState state, boolean startedNanos) {
        this(state, startedNanos, "", "");
    }

    boolean isFinal() {
        return state.isFinal();
    }
}
