package drover.coordinator.plan.batch;

import drover.coordinator.plan.health.RollbackGate;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.step.PlanDraft;
import drover.model.AttemptOutcome;
import java.time.Instant;

/**
 * Takes in what agents say of their attempts. A status counts iff attempt equals and sequence is
 * higher (C9).
 */
public final class AttemptTransitions {
    private AttemptTransitions() {}

    public static void apply(PlanDraft draft) {
        for (NodeUpgrade node : draft.nodes()) {
            draft.fleet
                    .report(node.id())
                    .filter(report -> report.attempt() == node.attempt())
                    .filter(report -> report.sequence() > node.sequence())
                    .ifPresent(report -> apply(draft, node.withStatus(report), report));
        }
    }

    private static void apply(PlanDraft draft, NodeUpgrade node, AttemptStatus report) {
        draft.put(node);
        switch (node.state()) {
            case NodeState.Assigned assigned -> upgrade(draft, node, assigned.start(), report);
            case NodeState.Upgrading upgrading -> upgrade(draft, node, upgrading, report);
            case NodeState.Unreachable unreachable -> returned(draft, node, unreachable, report);
            case NodeState.Restoring restoring -> restore(draft, node, restoring, report);
            case NodeState.Pending p -> {}
            case NodeState.Held h -> {}
            case NodeState.Settling s -> compensated(draft, node, report);
            case NodeState.Observed o -> compensated(draft, node, report);
            case NodeState.Succeeded s -> compensated(draft, node, report);
            case NodeState.Unhealthy u -> compensated(draft, node, report);
            case NodeState.Restored r -> {}
            case NodeState.Failed f -> {}
            case NodeState.FailedRollback f -> {}
            case NodeState.Skipped skipped -> installedLate(draft, node, report);
            case NodeState.RolledBack r -> {}
        }
    }

    /**
     * A node that was skipped while it was silent did its work after all: it is touched, and a
     * rollback must not claim otherwise (invariant A13).
     */
    private static void installedLate(PlanDraft draft, NodeUpgrade node, AttemptStatus report) {
        if (report.outcome() == AttemptOutcome.SUCCEEDED) {
            draft.put(node.installedBy(report.attempt()));
        }
    }

    /** The node itself took its upgrade back, without being asked from here (invariant D17). */
    private static void compensated(PlanDraft draft, NodeUpgrade node, AttemptStatus report) {
        switch (report.outcome()) {
            case FAILED, RESTORED -> {
                if (isRestored(node, report)) {
                    Cause cause =
                            new Cause(
                                    "TAKEN_BACK",
                                    "The upgrade was taken back on the node itself; what ran before"
                                            + " is proven.");
                    NodeState failed = failed(node.state(), cause, draft.now);
                    draft.moveNode(node.installedBy(0), failed, cause);
                } else {
                    stuck(draft, node, notRestored(report));
                }
            }
            case FAILED_ROLLBACK -> stuck(draft, node, causeOf(report));
            case IN_PROGRESS, SUCCEEDED, REFUSED, WITHDRAWN -> {} // nothing that undoes it
        }
    }

    private static NodeState failed(NodeState was, Cause cause, Instant now) {
        return switch (was) {
            case NodeState.Settling settling -> settling.fail(cause, now);
            case NodeState.Observed observed -> observed.fail(cause, now);
            case NodeState.Succeeded succeeded -> succeeded.fail(cause, now);
            case NodeState.Unhealthy unhealthy -> unhealthy.fail(cause, now);
            default -> throw new IllegalStateException("The target was not installed");
        };
    }

    private static void stuck(PlanDraft draft, NodeUpgrade node, Cause cause) {
        NodeState next =
                switch (node.state()) {
                    case NodeState.Settling settling -> settling.failRollback(cause, draft.now);
                    case NodeState.Observed observed -> observed.failRollback(cause, draft.now);
                    case NodeState.Succeeded succeeded -> succeeded.failRollback(cause, draft.now);
                    case NodeState.Unhealthy unhealthy -> unhealthy.failRollback(cause, draft.now);
                    default -> throw new IllegalStateException("The target was not installed");
                };
        draft.moveNode(node, next, cause);
    }

    private static void upgrade(
            PlanDraft draft,
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
            case SUCCEEDED -> settle(draft, node, upgrading, report);
            case FAILED, RESTORED -> failed(draft, node, upgrading, report);
            case FAILED_ROLLBACK ->
                    draft.moveNode(node, upgrading.failRollback(cause, draft.now), cause);
            case REFUSED -> refused(draft, node, upgrading, cause);
            case WITHDRAWN -> withdrawn(draft, node);
        }
    }

    private static void settle(
            PlanDraft draft,
            NodeUpgrade node,
            NodeState.Upgrading upgrading,
            AttemptStatus report) {
        // A later attempt found what an earlier one installed: the backup of that one leads back.
        long first = node.installedBy() == 0 ? report.attempt() : node.installedBy();
        NodeUpgrade installed = node.installedBy(first);
        NodeState.Settling settling = upgrading.settle(report.runId(), draft.now);
        draft.moveNode(
                installed,
                settling,
                new Cause("INSTALLED", "The agent proved the target version."));
        if (!node.target().isTarget(draft.spec, report.runningDigest())) {
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
    private static void failed(
            PlanDraft draft,
            NodeUpgrade node,
            NodeState.Upgrading upgrading,
            AttemptStatus report) {
        Cause cause = causeOf(report);
        if (isRestored(node, report)) {
            draft.moveNode(node, upgrading.fail(cause, draft.now), cause);
        } else {
            draft.moveNode(node, upgrading.failRollback(notRestored(report), draft.now), cause);
        }
    }

    private static boolean isRestored(NodeUpgrade node, AttemptStatus report) {
        return isOrNothing(report.runningDigest(), node.target().sourceDigest().value())
                && isOrNothing(report.configDigest(), node.target().sourceConfig().value());
    }

    /** Nothing runs when nothing ran before; then there is nothing to compare. */
    private static boolean isOrNothing(String digest, String before) {
        return digest.isEmpty() || digest.equals(before);
    }

    private static Cause notRestored(AttemptStatus report) {
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
    private static void refused(
            PlanDraft draft, NodeUpgrade node, NodeState.Upgrading upgrading, Cause cause) {
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
    private static void withdrawn(PlanDraft draft, NodeUpgrade node) {
        NodeState next =
                node.state() instanceof NodeState.Assigned assigned
                        ? assigned.withdrawn(draft.now)
                        : new NodeState.Pending(draft.now);
        draft.moveNode(
                node, next, new Cause("WITHDRAWN", "The work was withdrawn before it began."));
        rejoin(draft, node);
    }

    private static void rejoin(PlanDraft draft, NodeUpgrade node) {
        boolean promoted = draft.batches().get(node.batch()).phase() == BatchPhase.PROMOTED;
        if (promoted) {
            draft.put(draft.node(node.id()).withBatch(draft.joinableBatch()));
        }
    }

    private static void returned(
            PlanDraft draft,
            NodeUpgrade node,
            NodeState.Unreachable unreachable,
            AttemptStatus report) {
        if (unreachable.restoreOf() != 0) {
            NodeState.Restoring restoring = unreachable.restore(draft.restorePurpose(), draft.now);
            draft.moveNode(node, restoring, new Cause("RETURNED", "The agent is heard again."));
            restore(draft, draft.node(node.id()), restoring, report);
            if (draft.node(node.id()).state().isInFlight()) {
                rejoin(draft, node);
            }
            return;
        }
        NodeState.Upgrading upgrading = unreachable.start(draft.now);
        if (report.outcome() == AttemptOutcome.IN_PROGRESS) {
            draft.moveNode(node, upgrading, new Cause("RETURNED", "The agent is heard again."));
        } else {
            upgrade(draft, node, upgrading, report);
        }
        if (draft.node(node.id()).state().isInFlight()) {
            rejoin(draft, node);
        }
    }

    private static void restore(
            PlanDraft draft,
            NodeUpgrade node,
            NodeState.Restoring restoring,
            AttemptStatus report) {
        if (report.outcome() == AttemptOutcome.IN_PROGRESS) {
            draft.put(node.withState(restoring.start()));
        } else if (report.outcome() == AttemptOutcome.RESTORED && isRestored(node, report)) {
            restored(draft, node.installedBy(0), restoring, report);
        } else {
            boolean reports = report.outcome() == AttemptOutcome.RESTORED;
            Cause cause = reports ? notRestored(report) : causeOf(report);
            draft.moveNode(node, restoring.failRollback(cause, draft.now), cause);
        }
    }

    private static void restored(
            PlanDraft draft,
            NodeUpgrade node,
            NodeState.Restoring restoring,
            AttemptStatus report) {
        switch (restoring.purpose()) {
            case FAILED_GATE ->
                    draft.moveNode(node, restoring.failed(draft.now), restoring.cause());
            case ROLLBACK -> rolledBack(draft, node, restoring, report);
        }
    }

    /** A program that was stopped before the upgrade is stopped again: it has no health. */
    private static void rolledBack(
            PlanDraft draft,
            NodeUpgrade node,
            NodeState.Restoring restoring,
            AttemptStatus report) {
        boolean runs = !report.runId().isEmpty() && !report.runningDigest().isEmpty();
        boolean waits = runs && RollbackGate.waits(draft.state());
        draft.moveNode(
                node,
                waits
                        ? restoring.restored(report.runId(), draft.now)
                        : restoring.rolledBack(runs ? report.runId() : "", draft.now),
                new Cause("ROLLED_BACK", "What ran before is verified."));
    }

    private static Cause causeOf(AttemptStatus report) {
        String code = report.reason().isEmpty() ? report.outcome().name() : report.reason();
        String sentence =
                report.detail().isEmpty() ? "The agent gave no details." : report.detail();
        return new Cause(code, sentence);
    }
}
