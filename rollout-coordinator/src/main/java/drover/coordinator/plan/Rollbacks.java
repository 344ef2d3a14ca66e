package drover.coordinator.plan;

import java.util.Comparator;
import java.util.List;

/**
 * Brings every touched node back, newest batch first, in batches of batch_size, each when the one
 * before is proven or past its deadline; without threshold or approval (invariant A13).
 */
final class Rollbacks {
    private Rollbacks() {}

    static void advance(PlanDraft draft, RolloutState.RollingBack rollingBack) {
        RolloutPlanner.withdrawAssigned(draft);
        if (draft.fleet.completeSince() == null) {
            return; // blind: nothing is sent (rule R3)
        }
        boolean restoring =
                draft.inFlight().anyMatch(node -> node.state() instanceof NodeState.Restoring);
        if (!restoring) {
            restoreNext(draft, rollingBack);
        }
        if (draft.inFlight().findAny().isEmpty() && candidates(draft).isEmpty()) {
            finish(draft, rollingBack);
        }
    }

    private static void restoreNext(PlanDraft draft, RolloutState.RollingBack rollingBack) {
        int room = draft.spec.strategy().batchSize();
        for (NodeUpgrade node : candidates(draft)) {
            if (room == 0) {
                return;
            }
            switch (draft.fleet.node(node.id())) {
                case NodeView.Present present when isTaken(draft, node) ->
                        waitFor(draft, node, rollingBack);
                case NodeView.Present present -> {
                    restore(draft, node);
                    room--;
                }
                case NodeView.Absent absent -> offline(draft, node);
                case NodeView.Unknown unknown -> {} // nothing may be concluded yet
            }
        }
    }

    /** Touched nodes that can be given a restore, newest batch first. */
    private static List<NodeUpgrade> candidates(PlanDraft draft) {
        return draft.nodes().stream()
                .filter(node -> node.installedBy() != 0)
                .filter(node -> isCandidate(draft, node))
                .sorted(
                        Comparator.comparingInt(NodeUpgrade::batch)
                                .reversed()
                                .thenComparing(NodeUpgrade::id))
                .toList();
    }

    private static boolean isCandidate(PlanDraft draft, NodeUpgrade node) {
        return switch (node.state()) {
            case NodeState.Succeeded s -> true;
            case NodeState.Settling s -> true;
            case NodeState.Observed o -> true;
            case NodeState.Unreachable u -> canBeTaken(draft, node);
            case NodeState.Skipped s -> canBeTaken(draft, node);
            default -> false;
        };
    }

    /** Nodes that were given up are brought back if they can be, and not waited for. */
    private static boolean canBeTaken(PlanDraft draft, NodeUpgrade node) {
        return !node.open()
                && draft.fleet.node(node.id()) instanceof NodeView.Present
                && !isTaken(draft, node);
    }

    /** Whether somebody else is at work on it: there is one attempt at a time (A4). */
    private static boolean isTaken(PlanDraft draft, NodeUpgrade node) {
        return draft.fleet.guard(node.id()).takenBy(draft.rollout().id()) != null;
    }

    /** Its agent closes it within the time of any work, or it is not waited for (A18). */
    private static void waitFor(
            PlanDraft draft, NodeUpgrade node, RolloutState.RollingBack rollingBack) {
        if (draft.mayJudge() && draft.isPast(rollingBack.since().plus(draft.timings.work()))) {
            lost(
                    draft,
                    node,
                    new Cause(
                            "OTHER_ROLLOUT",
                            "It must be brought back, but other work is open on it and does not end."));
        }
    }

    private static void restore(PlanDraft draft, NodeUpgrade node) {
        long attempt = draft.allot(node, node.installedBy());
        NodeState next =
                switch (node.state()) {
                    case NodeState.Succeeded succeeded -> succeeded.rollBack(attempt, draft.now);
                    case NodeState.Settling settling -> settling.rollBack(attempt, draft.now);
                    case NodeState.Observed observed -> observed.rollBack(attempt, draft.now);
                    case NodeState.Unreachable unreachable ->
                            unreachable.restore(attempt, node.installedBy(), draft.now);
                    case NodeState.Skipped skipped ->
                            skipped.rollBack(attempt, node.installedBy(), draft.now);
                    default -> throw new IllegalStateException("Not touched: " + node.state());
                };
        draft.moveNode(
                draft.node(node.id()),
                next,
                new Cause("ROLLBACK", "Its binary and configuration of before are brought back."));
    }

    private static void offline(PlanDraft draft, NodeUpgrade node) {
        if (draft.mayJudge() && draft.isOffline(node.id())) {
            lost(
                    draft,
                    node,
                    new Cause(
                            "OFFLINE", "It must be brought back, but its agent is not connected."));
        }
    }

    private static void lost(PlanDraft draft, NodeUpgrade node, Cause cause) {
        switch (node.state()) {
            case NodeState.Succeeded succeeded ->
                    draft.moveNode(node, succeeded.silent(cause, draft.now), cause);
            case NodeState.Settling settling ->
                    draft.moveNode(node, settling.silent(cause, draft.now), cause);
            case NodeState.Observed observed ->
                    draft.moveNode(
                            node, observed.unsettle(draft.now).silent(cause, draft.now), cause);
            default -> {} // already known to be unreachable
        }
    }

    private static void finish(PlanDraft draft, RolloutState.RollingBack rollingBack) {
        List<NodeUpgrade> unproven = draft.nodes().stream().filter(Rollbacks::isUnproven).toList();
        if (unproven.isEmpty()) {
            draft.moveRollout(
                    rollingBack.rolledBack(draft.now),
                    new Cause(
                            "ROLLED_BACK", "Every touched node is proven at what it ran before."));
        } else {
            draft.moveRollout(
                    rollingBack.incomplete(draft.now),
                    new Cause(
                            FailureReason.ROLLBACK_INCOMPLETE.name(),
                            Words.nodes(unproven.size())
                                    + " could not be proven at what they ran before, first "
                                    + unproven.getFirst().id()
                                    + "."));
        }
    }

    /** Touched, or perhaps touched, and not proven back. */
    private static boolean isUnproven(NodeUpgrade node) {
        return node.installedBy() != 0
                || node.open()
                || node.state() instanceof NodeState.FailedRollback;
    }
}
