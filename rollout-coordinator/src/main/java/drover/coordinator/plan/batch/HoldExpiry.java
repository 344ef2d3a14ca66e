package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.step.StepDraft;
import java.time.Instant;
import java.util.stream.Stream;

/** Looks after held nodes: a hold ends by itself, and at the latest with the rollout. */
public final class HoldExpiry {
    private HoldExpiry() {}

    /** Lets nodes go whose hold is over; they join the batch in flight, as a retried node does. */
    public static void expireHolds(StepDraft draft) {
        if (!canStillStart(draft.state())) {
            return;
        }
        for (NodeUpgrade node : draft.nodes()) {
            if (node.state() instanceof NodeState.Held held && draft.isPast(held.until())) {
                draft.moveNode(
                        node,
                        held.release(draft.now),
                        new Cause("HOLD_OVER", "Its hold is over; its turn comes."));
                moveToJoinableBatch(draft, draft.node(node.id()));
            }
        }
    }

    private static boolean canStillStart(RolloutState state) {
        RolloutState meant = state instanceof RolloutState.Paused paused ? paused.from() : state;
        return meant instanceof RolloutState.Pending
                || meant instanceof RolloutState.Running
                || meant instanceof RolloutState.AwaitingApproval;
    }

    private static void moveToJoinableBatch(StepDraft draft, NodeUpgrade node) {
        if (draft.batches().get(node.batch()).phase() == BatchPhase.PROMOTED) {
            draft.putNode(node.withBatch(draft.findOrAppendBatch()));
        }
    }

    /** Everything else is done: nothing waits for a hold (DESIGN § 4, HELD). */
    static void skipAllHeld(StepDraft draft) {
        for (NodeUpgrade node : draft.nodes()) {
            if (node.state() instanceof NodeState.Held held) {
                Cause cause =
                        new Cause(
                                SkipReason.HELD.name(),
                                "An operator held it until everything else was done. Reason: "
                                        + held.reason());
                draft.moveNode(
                        node, held.skip(SkipReason.HELD, cause.sentence(), draft.now), cause);
            }
        }
    }

    /** When holds end. */
    public static Stream<Instant> expiryTimes(StepDraft draft) {
        return canStillStart(draft.state())
                ? draft.nodes().stream()
                        .filter(node -> node.state() instanceof NodeState.Held)
                        .map(node -> ((NodeState.Held) node.state()).until())
                : Stream.of();
    }
}
