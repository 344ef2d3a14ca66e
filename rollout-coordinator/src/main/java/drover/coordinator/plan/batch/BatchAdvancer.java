package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.DurationPhrase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipSummary;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.step.StepDraft;
import java.util.List;
import java.util.Optional;

/** Moves a running rollout through its batches, one after the other (invariants A1, A5, A6). */
public final class BatchAdvancer {
    /**
     * Batches that may pass in one step: each costs a look at all nodes, and a rollout whose nodes
     * are all there already may have thousands.
     */
    private static final int MAX_BATCHES_PER_STEP = 20;

    private static final String ROLLED_BACK =
            " It is rolled back, as it was created to be when nodes fail.";

    private BatchAdvancer() {}

    public static void advance(StepDraft draft, RolloutState.Running running) {
        for (int passed = 0; !draft.rollout().areAllBatchesPromoted(); passed++) {
            if (passed == MAX_BATCHES_PER_STEP) {
                return; // the next step goes on
            }
            Batch batch = draft.batches().get(draft.rollout().currentBatch());
            if (pauseIfTooManyFailed(draft, running, batch)) {
                return;
            }
            dispatchOrPause(draft, running, batch);
            if (!draft.state().equals(running)) {
                return; // unhealthy targets paused it
            }
            if (!hasEnded(draft, batch)) {
                updatePhase(draft, batch);
                return;
            }
            if (pauseIfTooManyFailed(draft, running, batch)
                    || DispatchPlanner.fillCanary(draft, batch)) {
                return;
            }
            if (batch.canary() && DispatchPlanner.nodesNotSkipped(draft, batch).isEmpty()) {
                break; // every target was left alone; who is tried later is the canary then
            }
            if (awaitApprovalIfRequired(draft, running, batch)) {
                return;
            }
            promote(draft, batch);
        }
        completeOrPause(draft, running);
    }

    private static void dispatchOrPause(
            StepDraft draft, RolloutState.Running running, Batch batch) {
        if (draft.fleet.completeViewSince() == null) {
            return; // no fleet visibility: nothing is dispatched (R3)
        }
        boolean waits = !DispatchPlanner.pendingNodes(draft, batch).isEmpty() || batch.canary();
        if (waits && AllTargetsHealthGate.mayDispatchOrPause(draft, running)) {
            DispatchPlanner.dispatch(
                    draft, batch, AllTargetsHealthGate.findDispatchable(draft, running));
        }
    }

    private static boolean pauseIfTooManyFailed(
            StepDraft draft, RolloutState.Running running, Batch batch) {
        capAcknowledgedFailures(draft);
        if (draft.rollout().ignoresFailures()) {
            return false;
        }
        Rollout rollout = draft.rollout();
        if (batch.canary() && rollout.unacknowledgedFailureCount() > 0) {
            pauseOrRollBack(
                    draft, running, PauseReason.CANARY_FAILED, canaryFailureSentence(draft, batch));
            return true;
        }
        return pauseIfUnacceptableFailures(draft, running);
    }

    /** Offline nodes that were not accepted; 0 unless some were skipped for that. */
    private static int unacceptedOfflineCount(StepDraft draft) {
        Rollout rollout = draft.rollout();
        return OfflineBudgetUsageCounter.countOfflineSkips(rollout) == 0
                ? 0
                : OfflineBudgetUsageCounter.countUsed(rollout, draft.fleet, draft.now)
                        - rollout.acceptedOffline();
    }

    /** A late failure pauses whatever the threshold, until an operator accepts it (A22). */
    private static boolean pauseIfUnacceptableFailures(
            StepDraft draft, RolloutState.Running running) {
        Rollout rollout = draft.rollout();
        boolean beyond = rollout.isBeyondThreshold();
        Optional<NodeUpgrade> late = rollout.firstUnacknowledgedLateFailure();
        if (!beyond && late.isEmpty()) {
            return false;
        }
        String failed =
                beyond
                        ? StateNameFormatter.formatNodeCount(rollout.thresholdFailureCount())
                                + " failed, more than the threshold of "
                                + draft.spec.threshold()
                                + " allows."
                        : "";
        pauseOrRollBack(
                draft,
                running,
                late.isPresent() ? PauseReason.SUCCEEDED_UNHEALTHY : PauseReason.FAILURE_THRESHOLD,
                late.map(node -> lateFailureSentence(failed, node)).orElse(failed));
        return true;
    }

    private static String lateFailureSentence(String failed, NodeUpgrade node) {
        String sentence = "Node " + node.id() + ": " + failureSentence(node.state());
        return failed.isEmpty() ? sentence : failed + " " + sentence;
    }

    /**
     * What was accepted is accepted of the failures there were: once one of them is gone, the next
     * one is news (A6).
     */
    private static void capAcknowledgedFailures(StepDraft draft) {
        Rollout rollout = draft.rollout();
        if (rollout.acknowledgedFailures() > rollout.thresholdFailureCount()) {
            draft.acknowledgeFailures(rollout.thresholdFailureCount());
        }
    }

    private static String canaryFailureSentence(StepDraft draft, Batch batch) {
        return draft.nodesInBatch(batch.index())
                .filter(node -> node.state().isFailure())
                .findFirst()
                .map(
                        node ->
                                "Canary node "
                                        + node.id()
                                        + " failed: "
                                        + failureSentence(node.state()))
                .orElse("A canary node failed.");
    }

    private static String failureSentence(NodeState state) {
        return switch (state) {
            case NodeState.Failed failed -> failed.cause().sentence();
            case NodeState.FailedRollback failed -> failed.cause().sentence();
            case NodeState.Unreachable unreachable -> unreachable.cause().sentence();
            case NodeState.Unhealthy unhealthy -> unhealthy.cause().sentence();
            default -> StateNameFormatter.of(state);
        };
    }

    private static void pauseOrRollBack(
            StepDraft draft, RolloutState.Running running, PauseReason reason, String sentence) {
        boolean back = reason.needsAcknowledgement() && draft.spec.conduct().rollsBackOnFailure();
        draft.moveRollout(
                back
                        ? running.rollBack(draft.spec.conduct().rollbackHealth(), draft.now)
                        : running.pause(reason, draft.now),
                new Cause(reason.name(), back ? sentence + ROLLED_BACK : sentence));
        draft.withdrawAssigned();
    }

    /**
     * A batch is over when none of its nodes is pending or in flight. A held node holds up nobody
     * but the canary, which proves nothing without its nodes.
     */
    private static boolean hasEnded(StepDraft draft, Batch batch) {
        return draft.nodesInBatch(batch.index())
                .noneMatch(
                        node ->
                                node.state().isInFlight()
                                        || node.state() instanceof NodeState.Pending
                                        || (batch.canary()
                                                && node.state() instanceof NodeState.Held));
    }

    private static void updatePhase(StepDraft draft, Batch batch) {
        List<NodeUpgrade> inFlight =
                draft.nodesInBatch(batch.index())
                        .filter(node -> node.state().isInFlight())
                        .toList();
        if (inFlight.isEmpty() || !DispatchPlanner.pendingNodes(draft, batch).isEmpty()) {
            draft.moveBatch(
                    batch,
                    BatchPhase.DISPATCHING,
                    new Cause("DISPATCHING", "Nodes are given their work."));
        } else if (inFlight.stream().allMatch(node -> node.state() instanceof NodeState.Observed)) {
            draft.moveBatch(
                    batch,
                    BatchPhase.OBSERVING,
                    new Cause(
                            "OBSERVING",
                            "All are well and are observed for "
                                    + DurationPhrase.of(draft.spec.observationDuration())
                                    + "."));
        } else {
            draft.moveBatch(
                    batch,
                    BatchPhase.SETTLING,
                    new Cause("SETTLING", "All nodes have their work."));
        }
    }

    private static boolean awaitApprovalIfRequired(
            StepDraft draft, RolloutState.Running running, Batch batch) {
        if (!batch.canary() || !ApprovalRules.isRequired(draft.spec)) {
            return false;
        }
        if (batch.phase() == BatchPhase.APPROVED) {
            return !ApprovalRules.canDispatchAfterApproval(
                    draft); // promoted in the step of the first work, or not yet
        }
        Cause because =
                new Cause(
                        "CANARY_PROVEN",
                        verifiedSummary(DispatchPlanner.nodesNotSkipped(draft, batch))
                                + "; a breaking migration needs a person to approve the rest.");
        draft.moveBatch(batch, BatchPhase.AWAITING_APPROVAL, because);
        draft.moveRollout(running.awaitApproval(draft.now), because);
        return true;
    }

    /** Whoever approves must not be told more than is so: failures may have been accepted. */
    private static String verifiedSummary(List<NodeUpgrade> tried) {
        long verified =
                tried.stream().filter(node -> node.state() instanceof NodeState.Succeeded).count();
        return verified == tried.size()
                ? "The canary is proven"
                : "Of the canary's "
                        + StateNameFormatter.formatNodeCount(tried.size())
                        + " only "
                        + verified
                        + " proven";
    }

    static void promote(StepDraft draft, Batch batch) {
        draft.moveBatch(
                batch,
                BatchPhase.PROMOTED,
                new Cause("GATE_PASSED", "Every node of the batch is decided."));
    }

    /**
     * Ends the rollout when every node is decided, or pauses it for an operator's decision (A11).
     */
    private static void completeOrPause(StepDraft draft, RolloutState.Running running) {
        if (draft.nodesInFlight().findAny().isPresent()) {
            return; // a node that returned late is still being evaluated
        }
        boolean regardless = draft.rollout().ignoresFailures();
        if (!regardless && pauseIfUnacceptableFailures(draft, running)) {
            return;
        }
        int failed = draft.rollout().counters().failed();
        int offline = unacceptedOfflineCount(draft);
        boolean needsOperator = failed > 0 || offline > draft.spec.offlineBudget();
        boolean decided = needsOperator && !regardless;
        if (!decided && !AllTargetsHealthGate.mayCompleteOrPause(draft, running)) {
            return; // the last nodes are observed, or their health must hold again
        }
        HoldExpiry.skipAllHeld(draft);
        if (failed > 0 && regardless) {
            draft.moveRollout(
                    running.fail(RolloutFailureReason.NODES_FAILED, draft.now),
                    new Cause(
                            RolloutFailureReason.NODES_FAILED.name(),
                            StateNameFormatter.formatNodeCount(failed) + " failed."));
        } else if (failed > 0) {
            pauseOrRollBack(
                    draft,
                    running,
                    PauseReason.FAILED_NODES_REMAIN,
                    StateNameFormatter.formatNodeCount(failed)
                            + " failed and nothing else is left to do: retry, skip, or roll back.");
        } else if (offline > draft.spec.offlineBudget()) {
            pauseOrRollBack(
                    draft,
                    running,
                    PauseReason.NODES_OFFLINE,
                    StateNameFormatter.formatNodeCount(offline)
                            + " were offline, more than the offline budget allows: retry them, or resume to accept it.");
        } else {
            completeOrFailIfAllSkipped(draft, running);
        }
    }

    private static void completeOrFailIfAllSkipped(StepDraft draft, RolloutState.Running running) {
        SkipSummary skips = SkipSummary.of(draft.rollout());
        if (skips.isAllSkippedNotAllAtTarget()) {
            draft.moveRollout(
                    running.fail(RolloutFailureReason.ALL_NODES_SKIPPED, draft.now),
                    new Cause(
                            RolloutFailureReason.ALL_NODES_SKIPPED.name(),
                            skips.allSkippedSentence()));
        } else {
            draft.moveRollout(
                    running.complete(draft.now),
                    new Cause(
                            "COMPLETED",
                            "Every node that was not skipped is proven at the target."));
        }
    }
}
