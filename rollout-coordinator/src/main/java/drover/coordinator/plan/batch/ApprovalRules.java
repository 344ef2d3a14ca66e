package drover.coordinator.plan.batch;

import drover.coordinator.plan.health.HealthGate;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.step.StepDraft;
import drover.model.MigrationType;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Decides whether an approval stands: from the proof of a canary until the first work that follows
 * it, a node of it that turns unwell or goes away takes the approval back (invariant A9).
 */
public final class ApprovalRules {
    private ApprovalRules() {}

    /**
     * Whether the rest must wait for a person once the canary is proven (seed 000, breaking
     * migrations).
     */
    public static boolean isRequired(RolloutSpec spec) {
        return spec.migration() == MigrationType.BREAKING;
    }

    /** Whether a canary is approved and nobody beyond it has been given work. */
    public static boolean hasUnusedApproval(Rollout rollout) {
        return !rollout.batches().isEmpty()
                && rollout.batches().get(rollout.currentBatch()).phase() == BatchPhase.APPROVED;
    }

    /** Whether a proven canary is approved, or waits for that: it is judged here alone. */
    static boolean judgesCanary(Rollout rollout) {
        return hasUnusedApproval(rollout)
                || rollout.batches().stream()
                        .anyMatch(batch -> batch.phase() == BatchPhase.AWAITING_APPROVAL);
    }

    /** Nobody approved yet, and it cannot be waited for any longer as it is. */
    public static void advanceAwaitingApproval(
            StepDraft draft, RolloutState.AwaitingApproval waiting) {
        if (!draft.rollout().isBatchDecided(draft.rollout().currentBatch())) {
            draft.moveRollout(
                    waiting.restartObservation(draft.now),
                    new Cause("OBSERVED_ANEW", "The canary has changed and is observed anew."));
            return;
        }
        if (draft.isPast(waiting.since().plus(draft.timings.approvalExpiry()))) {
            draft.moveRollout(
                    waiting.pause(PauseReason.APPROVAL_EXPIRED, draft.now),
                    new Cause(
                            PauseReason.APPROVAL_EXPIRED.name(),
                            "Nobody approved the canary for 7 days; resume to await approval again."));
            return;
        }
        firstChanged(draft)
                .ifPresent(
                        node -> {
                            Cause cause =
                                    canaryChangeCause(draft, node, " while approval was awaited");
                            pauseOrRollBack(draft, waiting, node, cause);
                        });
    }

    /** Takes an approval back that has led to no work yet, when the canary is not what it was. */
    public static boolean revokeAndStopIfCanaryChanged(
            StepDraft draft, RolloutState.Running running) {
        Optional<NodeUpgrade> flipped = firstChangedSinceApproval(draft);
        flipped.ifPresent(
                node -> {
                    Cause cause = returnToAwaiting(draft, node);
                    RolloutState.AwaitingApproval waiting = running.awaitApproval(draft.now);
                    draft.moveRollout(waiting, cause);
                    pauseOrRollBack(draft, waiting, node, cause);
                });
        return flipped.isPresent();
    }

    /** The same of a rollout that is paused anyway: when it is resumed it awaits approval. */
    public static void revokePausedIfCanaryChanged(StepDraft draft) {
        firstChangedSinceApproval(draft)
                .ifPresent(
                        node -> {
                            returnToAwaiting(draft, node);
                            openIncidentIfUnhealthy(draft, node);
                        });
    }

    /** A node that is at work again takes its canary back to the work it needs by itself. */
    private static Optional<NodeUpgrade> firstChangedSinceApproval(StepDraft draft) {
        Rollout rollout = draft.rollout();
        return hasUnusedApproval(rollout) && rollout.isBatchDecided(rollout.currentBatch())
                ? firstChanged(draft)
                : Optional.empty();
    }

    private static Cause returnToAwaiting(StepDraft draft, NodeUpgrade node) {
        Cause cause =
                canaryChangeCause(draft, node, " after the approval, before any work followed it");
        Batch canary = draft.batches().get(node.batch());
        draft.moveBatch(canary, BatchPhase.AWAITING_APPROVAL, cause);
        return cause;
    }

    private static void pauseOrRollBack(
            StepDraft draft, RolloutState.AwaitingApproval waiting, NodeUpgrade node, Cause cause) {
        boolean back = !wentOffline(draft, node) && draft.spec.conduct().rollsBackOnFailure();
        draft.moveRollout(
                back
                        ? waiting.rollBack(draft.spec.conduct().rollbackHealth(), draft.now)
                        : waiting.pause(PauseReason.CANARY_UNHEALTHY, draft.now),
                cause);
        openIncidentIfUnhealthy(draft, node);
    }

    /** The node stays succeeded, so that no state of its own opens the incident. */
    private static void openIncidentIfUnhealthy(StepDraft draft, NodeUpgrade node) {
        findFinding(draft, node)
                .map(LateFailureRules::lateFailureCause)
                .ifPresent(cause -> draft.openUnhealthyIncident(node.id(), cause));
    }

    private static Cause canaryChangeCause(StepDraft draft, NodeUpgrade node, String when) {
        String what = " has become " + StateNameFormatter.of(node.state());
        Optional<Cause> finding = findFinding(draft, node);
        if (finding.isPresent()) {
            what = " became unhealthy";
        } else if (wentOffline(draft, node)) {
            what = " went away";
        }
        String why = finding.map(found -> ": " + found.sentence()).orElse(".");
        return new Cause(
                PauseReason.CANARY_UNHEALTHY.name(),
                "Canary node " + node.id() + what + when + why);
    }

    private static Optional<NodeUpgrade> firstChanged(StepDraft draft) {
        return draft.nodesInBatch(draft.rollout().currentBatch())
                .filter(
                        node ->
                                becameUnhealthy(draft, node)
                                        || wentOffline(draft, node)
                                        || draft.hasChangedState(node))
                .min(Comparator.comparing(NodeUpgrade::id));
    }

    /** Silence is no proof of health, once the fleet is in view and the node is not (rule R3). */
    private static boolean wentOffline(StepDraft draft, NodeUpgrade node) {
        return node.state() instanceof NodeState.Succeeded
                && draft.canJudgeDeadlines()
                && draft.isOfflineBeyondGrace(node.id());
    }

    private static boolean becameUnhealthy(StepDraft draft, NodeUpgrade node) {
        return findFinding(draft, node).isPresent();
    }

    /** What makes a canary node that succeeded unhealthy: the probe and what it saw. */
    private static Optional<Cause> findFinding(StepDraft draft, NodeUpgrade node) {
        return node.state() instanceof NodeState.Succeeded succeeded
                        && draft.fleet.verdict(node.id()).orElse(null)
                                instanceof HealthVerdict.Unhealthy unhealthy
                        && unhealthy.attempt() == succeeded.attempt()
                ? Optional.of(LateFailureRules.decisiveFinding(unhealthy))
                : Optional.empty();
    }

    /**
     * Whether the approval leads to something now: the canary is in view and well by a word of now,
     * for no data is never healthy (F3), and some node beyond it can be given work, or all that are
     * left will be left alone. Until then it is kept and can be taken back.
     */
    static boolean canDispatchAfterApproval(StepDraft draft) {
        int canary = draft.rollout().currentBatch();
        boolean healthy =
                draft.nodesInBatch(canary).allMatch(node -> isHealthyIfSucceeded(draft, node));
        boolean withoutVisibility = draft.fleet.completeViewSince() == null;
        return healthy && !withoutVisibility && canContinueBeyondCanary(draft, canary);
    }

    private static boolean isHealthyIfSucceeded(StepDraft draft, NodeUpgrade node) {
        return !(node.state() instanceof NodeState.Succeeded succeeded)
                || (draft.fleet.node(node.id()) instanceof NodeView.Present
                        && HealthGate.verdict(draft, node, succeeded.attempt())
                                instanceof HealthVerdict.Healthy);
    }

    /** Asked of the batch whose turn is next: nobody of a later one can be given work before. */
    private static boolean canContinueBeyondCanary(StepDraft draft, int canary) {
        OptionalInt next =
                draft.nodes().stream()
                        .filter(node -> node.batch() != canary && isAwaitingTurn(draft, node))
                        .mapToInt(NodeUpgrade::batch)
                        .min();
        return next.isEmpty()
                || draft.nodesInBatch(next.getAsInt())
                        .filter(node -> isAwaitingTurn(draft, node))
                        .anyMatch(node -> isConnected(draft, node));
    }

    /** Whether a node's turn has not come, and it is not deferred for being offline. */
    private static boolean isAwaitingTurn(StepDraft draft, NodeUpgrade node) {
        return node.state() instanceof NodeState.Pending
                && !(draft.canJudgeDeadlines() && draft.isOfflineBeyondGrace(node.id()))
                && !wouldBeSkipped(draft, node);
    }

    private static boolean wouldBeSkipped(StepDraft draft, NodeUpgrade node) {
        return draft.fleet.node(node.id()) instanceof NodeView.Present present
                && NodeSkipRules.findSkip(draft, node, present).isPresent();
    }

    private static boolean isConnected(StepDraft draft, NodeUpgrade node) {
        return draft.fleet.node(node.id()) instanceof NodeView.Present;
    }
}
