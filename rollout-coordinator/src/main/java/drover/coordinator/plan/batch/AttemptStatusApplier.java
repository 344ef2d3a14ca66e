package drover.coordinator.plan.batch;

import drover.coordinator.plan.health.RestoredNodeHealthGate;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.step.StepDraft;
import drover.model.AttemptOutcome;
import java.time.Instant;

/**
 * Takes in what agents say of their attempts. A status counts iff attempt equals and sequence is
 * higher (C9).
 */
public final class AttemptStatusApplier {
    private AttemptStatusApplier() {}

    public static void apply(StepDraft draft) {
        for (NodeUpgrade node : draft.nodes()) {
            draft.fleet
                    .latestStatus(node.id())
                    .filter(report -> report.attempt() == node.attempt())
                    .filter(report -> report.sequence() > node.sequence())
                    .ifPresent(report -> apply(draft, node, report));
        }
    }

    private static void apply(StepDraft draft, NodeUpgrade was, AttemptStatus report) {
        NodeUpgrade node = was.withStatus(report);
        draft.putNode(node);
        switch (node.state()) {
            case NodeState.Assigned assigned ->
                    applyUpgradeStatus(draft, node, assigned.start(), report);
            case NodeState.Upgrading upgrading ->
                    applyUpgradeStatus(draft, node, upgrading, report);
            case NodeState.Unreachable unreachable ->
                    resumeUnreachable(draft, node, unreachable, report);
            case NodeState.Restoring restoring ->
                    applyRestoreStatus(draft, node, restoring, report);
            case NodeState.Pending p -> {}
            case NodeState.Held h -> {}
            case NodeState.Settling s -> applyLocalRollback(draft, node, report);
            case NodeState.Observed o -> applyLocalRollback(draft, node, report);
            case NodeState.Succeeded s -> applyLocalRollback(draft, node, report);
            case NodeState.Unhealthy u -> applyLocalRollback(draft, node, report);
            case NodeState.Restored r -> {}
            case NodeState.Failed f -> {}
            case NodeState.FailedRollback f -> {}
            case NodeState.Skipped skipped ->
                    applyAfterSkip(draft, was.open(), node, skipped, report);
            case NodeState.RolledBack r -> {}
        }
    }

    /**
     * A skipped node that was modified after all: a rollback restores it (A13). While the rollout
     * may modify nodes, its health is evaluated like that of other modified nodes (A22).
     *
     * @param open whether the attempt was open until this report
     */
    private static void applyAfterSkip(
            StepDraft draft,
            boolean open,
            NodeUpgrade node,
            NodeState.Skipped skipped,
            AttemptStatus report) {
        NodeUpgrade late =
                node.withLateOutcome(
                        report.outcome(), report.runningDigest(), report.configDigest());
        draft.putNode(late);
        if (!open || !mayModifyNodes(draft.state())) {
            return;
        }
        switch (report.outcome()) {
            case SUCCEEDED -> evaluateAfterSkip(draft, late, skipped, report);
            case FAILED_ROLLBACK -> failAfterSkip(draft, late, skipped, causeOf(report));
            case FAILED, RESTORED -> {
                if (!mayBeRestored(late, report)) {
                    failAfterSkip(draft, late, skipped, notRestoredCause(report));
                }
            }
            case IN_PROGRESS, REFUSED, WITHDRAWN -> {} // nothing that modified it
        }
    }

    private static void failAfterSkip(
            StepDraft draft, NodeUpgrade node, NodeState.Skipped skipped, Cause cause) {
        draft.moveNode(node, skipped.failRollback(node.attempt(), cause, draft.now), cause);
    }

    private static boolean mayModifyNodes(RolloutState state) {
        RolloutState resumed = RolloutState.resumedState(state);
        return resumed instanceof RolloutState.Running
                || resumed instanceof RolloutState.AwaitingApproval;
    }

    private static void evaluateAfterSkip(
            StepDraft draft, NodeUpgrade node, NodeState.Skipped skipped, AttemptStatus report) {
        if (LateFailureRules.hasCapacity(draft)) {
            startSettling(
                    draft,
                    node,
                    skipped.startSettling(node.attempt(), report.runId(), draft.now),
                    report);
            moveToJoinableBatch(draft, node);
        } else {
            Cause cause =
                    new Cause(
                            "INSTALLED_AFTER_SKIP",
                            "Its agent installed the target after the node was skipped. The rollout"
                                    + " continues when the node is healthy.");
            draft.moveNode(
                    node,
                    skipped.succeed(node.attempt(), report.runId(), draft.now),
                    withDetail(cause, report));
        }
    }

    /** The node itself took its upgrade back, without being asked from here (invariant D17). */
    private static void applyLocalRollback(
            StepDraft draft, NodeUpgrade node, AttemptStatus report) {
        switch (report.outcome()) {
            case FAILED, RESTORED -> {
                if (mayBeRestored(node, report)) {
                    Cause cause =
                            new Cause(
                                    "TAKEN_BACK",
                                    "The upgrade was taken back on the node itself; what ran before"
                                            + " is proven.");
                    NodeState failed = toFailed(node.state(), cause, draft.now);
                    draft.moveNode(node.withInstalledBy(0), failed, cause);
                } else {
                    failLocalRollback(draft, node, notRestoredCause(report));
                }
            }
            case FAILED_ROLLBACK -> failLocalRollback(draft, node, causeOf(report));
            case IN_PROGRESS, SUCCEEDED, REFUSED, WITHDRAWN -> {} // nothing that undoes it
        }
    }

    private static NodeState toFailed(NodeState was, Cause cause, Instant now) {
        return switch (was) {
            case NodeState.Settling settling -> settling.failAfterLocalRollback(cause, now);
            case NodeState.Observed observed -> observed.failAfterLocalRollback(cause, now);
            case NodeState.Succeeded succeeded -> succeeded.failAfterLocalRollback(cause, now);
            case NodeState.Unhealthy unhealthy -> unhealthy.failAfterLocalRollback(cause, now);
            default -> throw new IllegalStateException("The target was not installed");
        };
    }

    private static void failLocalRollback(StepDraft draft, NodeUpgrade node, Cause cause) {
        NodeState next =
                switch (node.state()) {
                    case NodeState.Settling settling ->
                            settling.failLocalRollback(cause, draft.now);
                    case NodeState.Observed observed ->
                            observed.failLocalRollback(cause, draft.now);
                    case NodeState.Succeeded succeeded ->
                            succeeded.failLocalRollback(cause, draft.now);
                    case NodeState.Unhealthy unhealthy ->
                            unhealthy.failLocalRollback(cause, draft.now);
                    default -> throw new IllegalStateException("The target was not installed");
                };
        draft.moveNode(node, next, cause);
    }

    private static void applyUpgradeStatus(
            StepDraft draft,
            NodeUpgrade node,
            NodeState.Upgrading upgrading,
            AttemptStatus report) {
        Cause cause = causeOf(report);
        switch (report.outcome()) {
            case IN_PROGRESS -> {
                if (node.state() instanceof NodeState.Assigned) {
                    draft.moveNode(node, upgrading, new Cause("BEGUN", "The agent began."));
                }
            }
            case SUCCEEDED ->
                    startSettling(
                            draft,
                            node,
                            upgrading.startSettling(report.runId(), draft.now),
                            report);
            case FAILED, RESTORED -> failOrFailRollback(draft, node, upgrading, report);
            case FAILED_ROLLBACK ->
                    draft.moveNode(node, upgrading.failRollback(cause, draft.now), cause);
            case REFUSED -> applyRefusal(draft, node, upgrading, cause);
            case WITHDRAWN -> applyWithdrawal(draft, node);
        }
    }

    private static void startSettling(
            StepDraft draft, NodeUpgrade node, NodeState.Settling settling, AttemptStatus report) {
        NodeUpgrade installed = node.withTargetInstalled();
        draft.moveNode(
                installed,
                settling,
                withDetail(new Cause("INSTALLED", "The agent proved the target version."), report));
        if (!node.target().isTargetDigest(draft.spec, report.runningDigest())) {
            draft.restoreUnhealthy(
                    draft.node(node.id()),
                    new Cause("WRONG_DIGEST", "Another program runs than the one installed."));
        } else if (!report.configDigest().equals(node.target().targetConfig().value())) {
            draft.restoreUnhealthy(
                    draft.node(node.id()),
                    new Cause("WRONG_CONFIG", "Configuration differs from what was rolled out."));
        }
    }

    /**
     * Failed means that the old digest is proven (invariant D5 turned round); anything else needs a
     * person.
     */
    private static void failOrFailRollback(
            StepDraft draft,
            NodeUpgrade node,
            NodeState.Upgrading upgrading,
            AttemptStatus report) {
        Cause cause = causeOf(report);
        if (mayBeRestored(node, report)) {
            draft.moveNode(node, upgrading.fail(cause, draft.now), cause);
        } else {
            draft.moveNode(
                    node, upgrading.failRollback(notRestoredCause(report), draft.now), cause);
        }
    }

    private static boolean mayBeRestored(NodeUpgrade node, AttemptStatus report) {
        return node.isSourceOrEmpty(report.runningDigest(), report.configDigest());
    }

    private static Cause notRestoredCause(AttemptStatus report) {
        return new Cause(
                "NOT_PROVEN_BACK",
                "The agent says it is back, but "
                        + report.runningDigest()
                        + " runs with configuration "
                        + report.configDigest()
                        + ". Look at the node before anything else.");
    }

    /**
     * Nothing was touched: a node that is not what it should be is left alone, anything else has
     * failed.
     */
    private static void applyRefusal(
            StepDraft draft, NodeUpgrade node, NodeState.Upgrading upgrading, Cause cause) {
        SkipReason skip =
                switch (cause.code()) {
                    case "DRIFTED" -> SkipReason.DRIFTED;
                    case "UNSUPPORTED_FEATURE", "UNKNOWN_WORK" -> SkipReason.UNSUPPORTED;
                    case "NEEDS_CLEAR" -> SkipReason.FAILED_ROLLBACK;
                    default -> null;
                };
        if (skip == null) {
            draft.moveNode(node, upgrading.fail(cause, draft.now), cause);
        } else {
            NodeState.Pending pending = new NodeState.Pending(draft.now);
            draft.moveNode(node, pending.skip(skip, cause.sentence(), draft.now), cause);
        }
    }

    /**
     * The attempt is closed and never began; the node's turn comes again with the batch in flight.
     */
    private static void applyWithdrawal(StepDraft draft, NodeUpgrade node) {
        NodeState next =
                node.state() instanceof NodeState.Assigned assigned
                        ? assigned.confirmWithdrawal(draft.now)
                        : new NodeState.Pending(draft.now);
        draft.moveNode(
                node, next, new Cause("WITHDRAWN", "The work was withdrawn before it began."));
        moveToJoinableBatch(draft, node);
    }

    private static void moveToJoinableBatch(StepDraft draft, NodeUpgrade node) {
        boolean promoted = draft.batches().get(node.batch()).phase() == BatchPhase.PROMOTED;
        if (promoted) {
            draft.putNode(draft.node(node.id()).withBatch(draft.findOrAppendBatch()));
        }
    }

    private static void resumeUnreachable(
            StepDraft draft,
            NodeUpgrade node,
            NodeState.Unreachable unreachable,
            AttemptStatus report) {
        if (unreachable.restoreOf() != 0) {
            NodeState.Restoring restoring = unreachable.restore(draft.restorePurpose(), draft.now);
            draft.moveNode(node, restoring, new Cause("RETURNED", "The agent is heard again."));
            applyRestoreStatus(draft, draft.node(node.id()), restoring, report);
            if (draft.node(node.id()).state().isInFlight()) {
                moveToJoinableBatch(draft, node);
            }
            return;
        }
        NodeState.Upgrading upgrading = unreachable.resumeUpgrading(draft.now);
        if (report.outcome() == AttemptOutcome.IN_PROGRESS) {
            draft.moveNode(node, upgrading, new Cause("RETURNED", "The agent is heard again."));
        } else {
            applyUpgradeStatus(draft, node, upgrading, report);
        }
        if (draft.node(node.id()).state().isInFlight()) {
            moveToJoinableBatch(draft, node);
        }
    }

    private static void applyRestoreStatus(
            StepDraft draft,
            NodeUpgrade node,
            NodeState.Restoring restoring,
            AttemptStatus report) {
        if (report.outcome() == AttemptOutcome.IN_PROGRESS) {
            draft.putNode(node.withState(restoring.start()));
        } else if (report.outcome() == AttemptOutcome.RESTORED && mayBeRestored(node, report)) {
            finishRestore(draft, node.withInstalledBy(0), restoring, report);
        } else {
            boolean reports = report.outcome() == AttemptOutcome.RESTORED;
            Cause cause = reports ? notRestoredCause(report) : causeOf(report);
            draft.moveNode(node, restoring.failRollback(cause, draft.now), cause);
        }
    }

    private static void finishRestore(
            StepDraft draft,
            NodeUpgrade node,
            NodeState.Restoring restoring,
            AttemptStatus report) {
        switch (restoring.purpose()) {
            case FAILED_GATE ->
                    draft.moveNode(
                            node,
                            restoring.completeAsFailed(draft.now),
                            withDetail(restoring.cause(), report));
            case ROLLBACK -> finishRollback(draft, node, restoring, report);
        }
    }

    /** A program that was stopped before the upgrade is stopped again: it has no health. */
    private static void finishRollback(
            StepDraft draft,
            NodeUpgrade node,
            NodeState.Restoring restoring,
            AttemptStatus report) {
        boolean runs = !report.runId().isEmpty() && !report.runningDigest().isEmpty();
        boolean waits = runs && RestoredNodeHealthGate.waitsForHealth(draft.state());
        draft.moveNode(
                node,
                waits
                        ? restoring.startHealthWait(report.runId(), draft.now)
                        : restoring.completeRollback(runs ? report.runId() : "", draft.now),
                withDetail(new Cause("ROLLED_BACK", "What ran before is verified."), report));
    }

    /** With what the agent reports in addition, for example that a program had to be killed. */
    private static Cause withDetail(Cause cause, AttemptStatus report) {
        return report.detail().isEmpty()
                ? cause
                : new Cause(cause.code(), cause.sentence() + " " + report.detail());
    }

    private static Cause causeOf(AttemptStatus report) {
        String code = report.reason().isEmpty() ? report.outcome().name() : report.reason();
        String sentence =
                report.detail().isEmpty() ? "The agent gave no details." : report.detail();
        return new Cause(code, sentence);
    }
}
