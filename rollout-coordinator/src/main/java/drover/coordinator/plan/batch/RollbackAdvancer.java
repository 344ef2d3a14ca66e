package drover.coordinator.plan.batch;

import drover.coordinator.plan.health.RestoredNodeHealthGate;
import drover.coordinator.plan.health.RollbackAcceptance;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.step.StepDraft;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * Restores every modified node (A13), unhealthy ones first, then the newest batch first. Restores
 * are made in batches of batch_size; each batch waits for the {@link RestoredNodeHealthGate} of the
 * one before. A rollback has no threshold and no approval.
 */
public final class RollbackAdvancer {
    private RollbackAdvancer() {}

    public static void advance(StepDraft draft, RolloutState.RollingBack rollingBack) {
        draft.withdrawAssigned();
        if (draft.fleet.completeViewSince() == null) {
            return; // no fleet visibility: nothing is sent (R3)
        }
        RestoreCandidates candidates = RestoreCandidates.of(draft);
        if (pauseIfUnacceptedUnhealthy(draft, rollingBack, candidates)) {
            return;
        }
        if (!isRestoring(draft) && RestoredNodeHealthGate.admitsRestores(draft, rollingBack)) {
            restoreNext(draft, rollingBack, candidates);
        }
        if (draft.nodesInFlight().findAny().isEmpty()
                && RestoreCandidates.of(draft).isEmpty()
                && RestoredNodeHealthGate.admitsEnd(draft, rollingBack)) {
            completeOrFailRollback(draft, rollingBack);
        }
    }

    /** When the order of the restores may change although nothing happens. */
    public static Stream<Instant> orderDeadlines(StepDraft draft) {
        return draft.state() instanceof RolloutState.RollingBack rollingBack
                ? RestoreCandidates.of(draft).findHealthDeadline(draft, rollingBack).stream()
                : Stream.of();
    }

    private static boolean isRestoring(StepDraft draft) {
        return draft.nodesInFlight()
                .anyMatch(
                        node ->
                                node.state() instanceof NodeState.Restoring
                                        || node.state() instanceof NodeState.Restored);
    }

    private static void restoreNext(
            StepDraft draft, RolloutState.RollingBack rollingBack, RestoreCandidates candidates) {
        boolean healthAwaited = candidates.findHealthDeadline(draft, rollingBack).isPresent();
        RestoreCapacity capacity = RestoreCapacity.of(draft, rollingBack, candidates);
        for (NodeUpgrade node : candidates.nodes()) {
            if (capacity.isExhausted()) {
                return;
            }
            switch (draft.fleet.node(node.id())) {
                case NodeView.Present present when draft.isReservedByOther(node) ->
                        markUnreachableIfBusy(draft, node, rollingBack);
                case NodeView.Present present -> {
                    boolean unhealthy = RestoreCandidates.isUnhealthy(draft, node);
                    boolean inOrder = unhealthy || !healthAwaited || isSettlingOrObserved(node);
                    if (inOrder && capacity.admits(node, unhealthy)) {
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
                RestoreCandidates candidates) {
            int most = draft.maxRestoring();
            int atWork =
                    (int) draft.nodesInFlight().filter(node -> !isSettlingOrObserved(node)).count();
            int entering = most - (int) draft.nodesInFlight().count();
            return new RestoreCapacity(
                    most - atWork,
                    entering,
                    rollingBack.health() == RollbackHealthPolicy.IGNORE
                            ? entering
                            : entering - waitingUnhealthyCount(draft, candidates));
        }

        /** Unhealthy nodes that wait for their restore: they are out of service, too. */
        private static int waitingUnhealthyCount(StepDraft draft, RestoreCandidates candidates) {
            return (int)
                    candidates.nodes().stream()
                            .filter(node -> RestoreCandidates.isUnhealthy(draft, node))
                            .count();
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

    /**
     * Pauses at the first node that the rollback left unhealthy or not verified ({@code ask}), or
     * when it has not recovered by its deadline ({@code wait}), also if no further node is to be
     * restored.
     */
    private static boolean pauseIfUnacceptedUnhealthy(
            StepDraft draft, RolloutState.RollingBack rollingBack, RestoreCandidates candidates) {
        boolean due =
                RollbackAcceptance.findPauseTime(draft, rollingBack)
                        .filter(draft::isPast)
                        .isPresent();
        boolean judges =
                rollingBack.health() == RollbackHealthPolicy.ASK || draft.canJudgeDeadlines();
        if (!due || !judges || !holdsUpRollback(draft, candidates)) {
            return false;
        }
        NodeUpgrade first =
                draft.nodes().stream()
                        .filter(RollbackAcceptance::isLeftUnhealthyOrUnverified)
                        .filter(node -> !RollbackAcceptance.isCleared(draft, node))
                        .findFirst()
                        .orElseThrow();
        Cause cause =
                new Cause(
                        PauseReason.RESTORED_UNHEALTHY.name(),
                        RollbackAcceptance.describeLeft(draft.rollout())
                                + " First: node "
                                + first.id()
                                + ".");
        draft.openStalledIncident(first.id(), cause);
        draft.moveRollout(rollingBack.pause(PauseReason.RESTORED_UNHEALTHY, draft.now), cause);
        return true;
    }

    /**
     * Nodes that could not be restored hold up the others, and not the end: the rollback then ends
     * as failed and can be repeated.
     */
    private static boolean holdsUpRollback(StepDraft draft, RestoreCandidates candidates) {
        return !candidates.isEmpty()
                || draft.nodes().stream().anyMatch(RollbackAcceptance::isRestoredAndUnhealthy);
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
        if (RollbackAcceptance.isCleared(draft, node)) {
            RollbackAcceptance.endAcceptance(draft, node);
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
                    new Cause("ROLLED_BACK", completionSentence(draft)));
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

    private static String completionSentence(StepDraft draft) {
        int unhealthy =
                (int)
                        draft.nodes().stream()
                                .filter(RollbackAcceptance::isRestoredAndUnhealthy)
                                .count();
        return "Every touched node is proven at what it ran before"
                + (unhealthy == 0
                        ? "."
                        : "; not verified healthy: "
                                + StateNameFormatter.formatNodeCount(unhealthy)
                                + ".");
    }

    /** Touched, or perhaps touched, and not proven back. */
    private static boolean mayStillBeModified(NodeUpgrade node) {
        return node.installedBy() != 0
                || node.open()
                || node.state() instanceof NodeState.FailedRollback;
    }
}
