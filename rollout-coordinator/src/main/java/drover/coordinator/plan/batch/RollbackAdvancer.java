package drover.coordinator.plan.batch;

import drover.coordinator.plan.health.RollbackGate;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.step.StepDraft;
import drover.coordinator.plan.step.TargetHealthConcerns;
import java.util.List;

/**
 * Restores every modified node (A13), unhealthy ones first, then the newest batch first. Restores
 * are made in batches of batch_size; each batch waits for the {@link RollbackGate} of the one
 * before. A rollback has no threshold and no approval.
 */
public final class RollbackAdvancer {
    private RollbackAdvancer() {}

    public static void advance(StepDraft draft, RolloutState.RollingBack rollingBack) {
        draft.withdrawAssigned();
        if (draft.fleet.completeViewSince() == null) {
            return; // no fleet visibility: nothing is sent (R3)
        }
        if (!isRestoring(draft)) {
            restoreNextOrPause(draft, rollingBack);
        }
        if (draft.nodesInFlight().findAny().isEmpty() && restoreCandidates(draft).isEmpty()) {
            completeOrFailRollback(draft, rollingBack);
        }
    }

    private static boolean isRestoring(StepDraft draft) {
        return draft.nodesInFlight()
                .anyMatch(
                        node ->
                                node.state() instanceof NodeState.Restoring
                                        || node.state() instanceof NodeState.Restored);
    }

    private static void restoreNextOrPause(StepDraft draft, RolloutState.RollingBack rollingBack) {
        List<NodeUpgrade> candidates = restoreCandidates(draft);
        if (candidates.isEmpty()) {
            return;
        }
        if (!RollbackGate.admitsRestores(draft, rollingBack)) {
            pauseUnlessInFlight(draft, rollingBack);
            return;
        }
        RestoreCapacity capacity = RestoreCapacity.of(draft, rollingBack, candidates);
        for (NodeUpgrade node : candidates) {
            if (capacity.isExhausted()) {
                return;
            }
            switch (draft.fleet.node(node.id())) {
                case NodeView.Present present when isReservedByOther(draft, node) ->
                        markUnreachableIfBusy(draft, node, rollingBack);
                case NodeView.Present present -> {
                    boolean unhealthy = isUnhealthy(draft, node);
                    if (capacity.admits(node, unhealthy)) {
                        restore(draft, node);
                        capacity = capacity.afterRestore(node, unhealthy);
                    }
                }
                case NodeView.Absent absent -> markUnreachableIfOffline(draft, node);
                case NodeView.Unknown unknown -> {} // nothing may be concluded yet
            }
        }
    }

    /**
     * How many nodes may be restored now, so that a rollback never has more than the batch size in
     * flight or made unhealthy (A21, A23).
     *
     * @param restores further restores
     * @param entering nodes among them that are not in flight yet, as settling ones are
     * @param healthy nodes among those that may be in service: each is not while it is restored
     */
    private record RestoreCapacity(int restores, int entering, int healthy) {
        static RestoreCapacity of(
                StepDraft draft,
                RolloutState.RollingBack rollingBack,
                List<NodeUpgrade> candidates) {
            int most = draft.maxRestoring();
            int atWork =
                    (int) draft.nodesInFlight().filter(node -> !isSettlingOrObserved(node)).count();
            int entering = most - (int) draft.nodesInFlight().count();
            return new RestoreCapacity(
                    most - atWork,
                    entering,
                    entering - unacceptedUnhealthyCount(draft, rollingBack, candidates));
        }

        /** Unhealthy nodes that are not in flight and that no operator accepted. */
        private static int unacceptedUnhealthyCount(
                StepDraft draft,
                RolloutState.RollingBack rollingBack,
                List<NodeUpgrade> candidates) {
            if (rollingBack.health() == RollbackHealthPolicy.IGNORE) {
                return 0;
            }
            int left = RollbackGate.countUnaccepted(draft, rollingBack);
            int waiting =
                    (int) candidates.stream().filter(node -> isUnhealthy(draft, node)).count();
            return Math.max(0, left) + waiting;
        }

        boolean isExhausted() {
            return restores <= 0;
        }

        boolean admits(NodeUpgrade node, boolean unhealthy) {
            return restores > 0
                    && (isSettlingOrObserved(node) || (entering > 0 && (unhealthy || healthy > 0)));
        }

        RestoreCapacity afterRestore(NodeUpgrade node, boolean unhealthy) {
            boolean settles = isSettlingOrObserved(node);
            return new RestoreCapacity(
                    restores - 1,
                    settles ? entering : entering - 1,
                    settles || unhealthy ? healthy : healthy - 1);
        }
    }

    private static boolean isSettlingOrObserved(NodeUpgrade node) {
        return node.state() instanceof NodeState.Settling
                || node.state() instanceof NodeState.Observed;
    }

    private static boolean isUnhealthy(StepDraft draft, NodeUpgrade node) {
        return switch (node.state()) {
            case NodeState.Unhealthy unhealthy -> true;
            case NodeState.Succeeded succeeded ->
                    TargetHealthConcerns.verdict(draft.spec, draft.fleet, node, succeeded.attempt())
                            instanceof HealthVerdict.Unhealthy;
            default -> false;
        };
    }

    private static void pauseUnlessInFlight(StepDraft draft, RolloutState.RollingBack rollingBack) {
        if (draft.nodesInFlight().findAny().isPresent()) {
            return; // a node that is in flight may be healthy yet
        }
        List<NodeUpgrade> unhealthy =
                draft.nodes().stream().filter(RollbackGate::isLeftUnhealthyOrUnverified).toList();
        NodeUpgrade first =
                unhealthy.stream()
                        .filter(node -> !RollbackGate.isCleared(draft, node))
                        .findFirst()
                        .orElse(unhealthy.getFirst());
        Cause cause =
                new Cause(
                        PauseReason.RESTORED_UNHEALTHY.name(),
                        StateNameFormatter.formatNodeCount(unhealthy.size())
                                + " not verified healthy after the rollback restored them, first "
                                + first.id()
                                + ": repair them, or resume acknowledging "
                                + unhealthy.size()
                                + " to restore further nodes.");
        draft.openStalledIncident(first.id(), cause);
        draft.moveRollout(rollingBack.pause(PauseReason.RESTORED_UNHEALTHY, draft.now), cause);
    }

    /** Modified nodes that can be given a restore, in the order of the restores. */
    private static List<NodeUpgrade> restoreCandidates(StepDraft draft) {
        return draft.nodes().stream()
                .filter(node -> node.installedBy() != 0)
                .filter(node -> isCandidate(draft, node))
                .sorted(RollbackOrder.comparator(node -> isUnhealthy(draft, node)))
                .toList();
    }

    private static boolean isCandidate(StepDraft draft, NodeUpgrade node) {
        return switch (node.state()) {
            case NodeState.Succeeded s -> true;
            case NodeState.Unhealthy u -> true;
            case NodeState.Settling s -> true;
            case NodeState.Observed o -> true;
            case NodeState.Unreachable u -> canBeRestored(draft, node);
            case NodeState.Skipped s -> canBeRestored(draft, node);
            case NodeState.Pending p -> canBeRestored(draft, node); // retried, and not dispatched
            case NodeState.Held h -> canBeRestored(draft, node);
            case NodeState.Failed f -> canBeRestored(draft, node);
            case NodeState.FailedRollback f ->
                    canBeRestored(draft, node) && RollbackGate.isCleared(draft, node);
            default -> false;
        };
    }

    /** Nodes that were given up are brought back if they can be, and not waited for. */
    private static boolean canBeRestored(StepDraft draft, NodeUpgrade node) {
        return !node.open()
                && draft.fleet.node(node.id()) instanceof NodeView.Present
                && !isReservedByOther(draft, node);
    }

    /** Whether somebody else is at work on it: there is one attempt at a time (A4). */
    private static boolean isReservedByOther(StepDraft draft, NodeUpgrade node) {
        return draft.fleet.reservation(node.id()).otherReservingRollout(draft.rollout().id())
                != null;
    }

    /** Its agent closes it within the time of any work, or it is not waited for (A18). */
    private static void markUnreachableIfBusy(
            StepDraft draft, NodeUpgrade node, RolloutState.RollingBack rollingBack) {
        if (draft.canJudgeDeadlines()
                && draft.isPast(rollingBack.since().plus(draft.workTimeout()))) {
            markUnreachable(
                    draft,
                    node,
                    new Cause(
                            "OTHER_ROLLOUT",
                            "It must be brought back, but other work is open on it and does not end."));
        }
    }

    private static void restore(StepDraft draft, NodeUpgrade node) {
        if (RollbackGate.isCleared(draft, node)) {
            RollbackGate.endAcceptance(draft, node);
        }
        long attempt = draft.assignAttempt(node, node.installedBy());
        NodeState next =
                switch (node.state()) {
                    case NodeState.Succeeded succeeded -> succeeded.rollBack(attempt, draft.now);
                    case NodeState.Unhealthy unhealthy -> unhealthy.rollBack(attempt, draft.now);
                    case NodeState.Settling settling -> settling.rollBack(attempt, draft.now);
                    case NodeState.Observed observed -> observed.rollBack(attempt, draft.now);
                    case NodeState.Unreachable unreachable ->
                            unreachable.restore(attempt, node.installedBy(), draft.now);
                    case NodeState.Skipped skipped ->
                            skipped.rollBack(attempt, node.installedBy(), draft.now);
                    case NodeState.FailedRollback cleared ->
                            cleared.rollBack(attempt, node.installedBy(), draft.now);
                    case NodeState.Pending retried ->
                            retried.rollBack(attempt, node.installedBy(), draft.now);
                    case NodeState.Held held ->
                            held.rollBack(attempt, node.installedBy(), draft.now);
                    case NodeState.Failed failed ->
                            failed.rollBack(attempt, node.installedBy(), draft.now);
                    default -> throw new IllegalStateException("Not touched: " + node.state());
                };
        draft.moveNode(
                draft.node(node.id()),
                next,
                new Cause("ROLLBACK", "Its binary and configuration of before are brought back."));
    }

    private static void markUnreachableIfOffline(StepDraft draft, NodeUpgrade node) {
        if (draft.canJudgeDeadlines() && draft.isOfflineBeyondGrace(node.id())) {
            markUnreachable(
                    draft,
                    node,
                    new Cause(
                            "OFFLINE", "It must be brought back, but its agent is not connected."));
        }
    }

    private static void markUnreachable(StepDraft draft, NodeUpgrade node, Cause cause) {
        switch (node.state()) {
            case NodeState.Succeeded succeeded ->
                    draft.moveNode(node, succeeded.markUnreachable(cause, draft.now), cause);
            case NodeState.Unhealthy unhealthy ->
                    draft.moveNode(node, unhealthy.markUnreachable(cause, draft.now), cause);
            case NodeState.Settling settling ->
                    draft.moveNode(node, settling.markUnreachable(cause, draft.now), cause);
            case NodeState.Observed observed ->
                    draft.moveNode(
                            node,
                            observed.returnToSettling(draft.now).markUnreachable(cause, draft.now),
                            cause);
            default -> {} // already known to be unreachable
        }
    }

    private static void completeOrFailRollback(
            StepDraft draft, RolloutState.RollingBack rollingBack) {
        List<NodeUpgrade> unproven =
                draft.nodes().stream().filter(RollbackAdvancer::mayStillBeModified).toList();
        if (unproven.isEmpty()) {
            draft.moveRollout(
                    rollingBack.completeRollback(draft.now),
                    new Cause(
                            "ROLLED_BACK", "Every touched node is proven at what it ran before."));
        } else {
            draft.moveRollout(
                    rollingBack.failRollback(draft.now),
                    new Cause(
                            RolloutFailureReason.ROLLBACK_INCOMPLETE.name(),
                            StateNameFormatter.formatNodeCount(unproven.size())
                                    + " could not be proven at what they ran before, first "
                                    + unproven.getFirst().id()
                                    + "."));
        }
    }

    /** Touched, or perhaps touched, and not proven back. */
    private static boolean mayStillBeModified(NodeUpgrade node) {
        return node.installedBy() != 0
                || node.open()
                || node.state() instanceof NodeState.FailedRollback;
    }
}
