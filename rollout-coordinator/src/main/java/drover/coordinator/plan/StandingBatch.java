package drover.coordinator.plan;

/**
 * Decides whether a batch that had begun stands still. Its stored phase is where its gate stopped;
 * people must not read "settling" where nothing moves.
 */
public final class StandingBatch {
    private StandingBatch() {}

    /** Whether it had begun, has not passed its gate, and nothing goes on in it. */
    public static boolean stands(Rollout rollout, Batch batch) {
        return switch (batch.phase()) {
            case PENDING, PROMOTED -> false;
            case AWAITING_APPROVAL -> !mayStillBeApproved(rollout.state());
            case APPROVED -> !(meant(rollout.state()) instanceof RolloutState.Running);
            case DISPATCHING, SETTLING, OBSERVING ->
                    !(rollout.state() instanceof RolloutState.Running)
                            && rollout.inBatch(batch.index())
                                    .noneMatch(node -> node.state().isInFlight());
        };
    }

    private static boolean mayStillBeApproved(RolloutState state) {
        return meant(state) instanceof RolloutState.AwaitingApproval;
    }

    private static RolloutState meant(RolloutState state) {
        return state instanceof RolloutState.Paused paused ? paused.from() : state;
    }
}
