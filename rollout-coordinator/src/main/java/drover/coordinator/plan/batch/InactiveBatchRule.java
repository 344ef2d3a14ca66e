package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;

/**
 * Decides whether a batch that had begun stands still. Its stored phase is where its gate stopped;
 * people must not read "settling" where nothing moves.
 */
public final class InactiveBatchRule {
    private InactiveBatchRule() {}

    /** Whether it had begun, has not passed its gate, and nothing goes on in it. */
    public static boolean isStalled(Rollout rollout, Batch batch) {
        return switch (batch.phase()) {
            case PENDING, PROMOTED -> false;
            case AWAITING_APPROVAL -> !mayStillBeApproved(rollout.state());
            case APPROVED -> !(resumedState(rollout.state()) instanceof RolloutState.Running);
            case DISPATCHING, SETTLING, OBSERVING ->
                    !(rollout.state() instanceof RolloutState.Running)
                            && rollout.nodesInBatch(batch.index())
                                    .noneMatch(node -> node.state().isInFlight());
        };
    }

    private static boolean mayStillBeApproved(RolloutState state) {
        return resumedState(state) instanceof RolloutState.AwaitingApproval;
    }

    private static RolloutState resumedState(RolloutState state) {
        return state instanceof RolloutState.Paused paused ? paused.from() : state;
    }
}
