package drover.coordinator.plan;

import java.time.Instant;
import java.util.stream.Stream;

/** Looks after held nodes: a hold ends by itself, and at the latest with the rollout. */
final class Holds {
    private Holds() {}

    /** Lets nodes go whose hold is over; they join the batch in flight, as a retried node does. */
    static void expire(PlanDraft draft) {
        if (!mayHaveItsTurn(draft.state())) {
            return;
        }
        for (NodeUpgrade node : draft.nodes()) {
            if (node.state() instanceof NodeState.Held held && draft.isPast(held.until())) {
                draft.moveNode(
                        node,
                        held.release(draft.now),
                        new Cause("HOLD_OVER", "Its hold is over; its turn comes."));
                join(draft, draft.node(node.id()));
            }
        }
    }

    private static boolean mayHaveItsTurn(RolloutState state) {
        RolloutState meant = state instanceof RolloutState.Paused paused ? paused.from() : state;
        return meant instanceof RolloutState.Pending
                || meant instanceof RolloutState.Running
                || meant instanceof RolloutState.AwaitingApproval;
    }

    private static void join(PlanDraft draft, NodeUpgrade node) {
        if (draft.batches().get(node.batch()).phase() == BatchPhase.PROMOTED) {
            draft.put(node.inBatch(draft.joinableBatch()));
        }
    }

    /** Everything else is done: nothing waits for a hold (DESIGN § 4, HELD). */
    static void skipAll(PlanDraft draft) {
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
    static Stream<Instant> ends(PlanDraft draft) {
        return mayHaveItsTurn(draft.state())
                ? draft.nodes().stream()
                        .filter(node -> node.state() instanceof NodeState.Held)
                        .map(node -> ((NodeState.Held) node.state()).until())
                : Stream.of();
    }
}
