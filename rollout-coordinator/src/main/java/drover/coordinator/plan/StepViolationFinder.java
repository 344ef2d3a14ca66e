package drover.coordinator.plan;

import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeCounters;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.model.Threshold;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.step.Step;
import drover.model.MigrationType;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks a step independently of the planner that made it: property tests, the simulation, and the
 * loop before every commit. A violation is a bug; the loop refuses to commit it.
 */
public final class StepViolationFinder {
    private StepViolationFinder() {}

    /** Every violation of a step, in words; empty when it may be committed. */
    public static List<String> findViolations(Rollout before, Step step, FleetView fleet) {
        List<String> violations = new ArrayList<>();
        Rollout after = step.next();
        if (!after.nodes().keySet().equals(before.nodes().keySet())) {
            violations.add("A8: the targets changed");
        }
        checkCounters(after, violations);
        checkBatches(before, after, violations);
        checkAttempts(before, step, violations);
        checkDispatch(before, step, violations);
        checkOneActiveBatch(after, violations);
        checkGates(before, after, violations);
        checkApproval(before, after, violations);
        checkThreshold(step, violations);
        checkCompletion(after, violations);
        checkFailedCompensations(before, after, violations);
        HealthInvariants.check(before, step, fleet, violations);
        return violations;
    }

    private static void checkCounters(Rollout after, List<String> violations) {
        NodeCounters c = after.counters();
        if (c.succeeded() + c.failed() + c.pending() + c.skipped() + c.rolledBack() != c.total()) {
            violations.add("A10: the counters do not add up");
        }
    }

    private static void checkBatches(Rollout before, Rollout after, List<String> violations) {
        for (Batch batch : before.batches()) {
            boolean demoted =
                    batch.phase() == BatchPhase.PROMOTED
                            && after.batches().get(batch.index()).phase() != BatchPhase.PROMOTED;
            if (demoted) {
                violations.add("Promotion of batch " + batch.index() + " was taken back");
            }
        }
        for (NodeUpgrade node : after.nodes().values()) {
            if (node.batch() < 0 || node.batch() >= after.batches().size()) {
                violations.add("A8: node " + node.id() + " is in no batch");
            }
        }
    }

    private static void checkAttempts(Rollout before, Step step, List<String> violations) {
        for (Step.AssignedAttempt allotment : step.attempts()) {
            NodeUpgrade was = before.nodes().get(allotment.node());
            NodeUpgrade is = step.next().nodes().get(allotment.node());
            if (was == null || is == null || allotment.attempt() <= was.attempt()) {
                violations.add("R1: attempt of node " + allotment.node() + " does not grow");
            }
        }
    }

    /**
     * Nothing new is given to nodes but by a running rollout in its present batch (A1, A5, A6,
     * A12).
     */
    private static void checkDispatch(Rollout before, Step step, List<String> violations) {
        Rollout after = step.next();
        for (Step.AssignedAttempt allotment : step.attempts()) {
            NodeUpgrade node = after.nodes().get(allotment.node());
            if (node == null || allotment.restoreOf() != 0) {
                continue;
            }
            boolean paused = before.state() instanceof RolloutState.Paused;
            if (paused
                    || before.state().isFinal()
                    || before.state() instanceof RolloutState.Cancelling) {
                violations.add(
                        "A12: node "
                                + node.id()
                                + " was dispatched while "
                                + StateNameFormatter.of(before.state()));
            }
            if (node.batch() != after.currentBatch()
                    && !(after.state() instanceof RolloutState.Paused)) {
                violations.add(
                        "A1: node " + node.id() + " was dispatched outside the batch in flight");
            }
        }
    }

    /** At most one batch has work under way, but in a rollback, which has its own order (A1). */
    private static void checkOneActiveBatch(Rollout after, List<String> violations) {
        if (!(after.state() instanceof RolloutState.Running)) {
            return;
        }
        List<Integer> batches =
                after.nodes().values().stream()
                        .filter(node -> node.state().isInFlight())
                        .map(NodeUpgrade::batch)
                        .distinct()
                        .toList();
        if (batches.size() > 1) {
            violations.add("A1: work is under way in batches " + batches);
        }
    }

    /** A batch passes its gate only when each of its nodes is decided (A5). */
    private static void checkGates(Rollout before, Rollout after, List<String> violations) {
        for (Batch batch : after.batches()) {
            boolean passed =
                    batch.phase() == BatchPhase.PROMOTED
                            && (batch.index() >= before.batches().size()
                                    || before.batches().get(batch.index()).phase()
                                            != BatchPhase.PROMOTED);
            if (passed) {
                after.nodesInBatch(batch.index())
                        .filter(node -> !isDecided(node.state()) || isHeldCanary(batch, node))
                        .forEach(node -> violations.add("A5: passed before node " + node.id()));
            }
        }
    }

    /** A canary that needs an approval passes with one that stood until then (A9). */
    private static void checkApproval(Rollout before, Rollout after, List<String> violations) {
        if (after.spec().migration() != MigrationType.BREAKING) {
            return;
        }
        for (Batch batch : before.batches()) {
            BatchPhase is = after.batches().get(batch.index()).phase();
            boolean passes = batch.phase() != BatchPhase.PROMOTED && is == BatchPhase.PROMOTED;
            if (batch.canary() && passes && batch.phase() != BatchPhase.APPROVED) {
                violations.add("A9: the canary passed and nobody approved it");
            }
        }
    }

    /** A canary without one of its nodes proves nothing. */
    private static boolean isHeldCanary(Batch batch, NodeUpgrade node) {
        return batch.canary() && node.state() instanceof NodeState.Held;
    }

    private static boolean isDecided(NodeState state) {
        return !state.isInFlight() && !(state instanceof NodeState.Pending);
    }

    /** Nothing is dispatched beyond the threshold (A6). */
    private static void checkThreshold(Step step, List<String> violations) {
        boolean dispatched = step.attempts().stream().anyMatch(a -> a.restoreOf() == 0);
        Rollout after = step.next();
        if (!dispatched || after.ignoresFailures()) {
            return;
        }
        int current = after.currentBatch();
        List<NodeUpgrade> reached =
                after.nodes().values().stream().filter(node -> node.batch() <= current).toList();
        long failed = reached.stream().filter(node -> countsTowardThreshold(after, node)).count();
        long forecast = reached.stream().filter(node -> isExpectedFailure(after, node)).count();
        long noData =
                reached.stream().filter(node -> node.state().isFailure()).count()
                        - failed
                        - forecast;
        long counted =
                failed
                        + Math.max(0, forecast - after.spec().conduct().expected().atMost())
                        + Math.max(0, noData - after.spec().offlineBudget());
        long unaccepted = Math.max(0, counted - after.acknowledgedFailures());
        if (isExceeded(after, unaccepted)) {
            violations.add("A6: dispatched with " + counted + " failed");
        }
    }

    /** Computed here and not by the threshold: failed over attempted (seed 000). */
    private static boolean isExceeded(Rollout after, long failed) {
        long attempted =
                after.nodes().values().stream()
                        .filter(node -> node.attempts() > 0)
                        .filter(node -> !(node.state() instanceof NodeState.Skipped))
                        .count();
        return switch (after.spec().threshold()) {
            case Threshold.Count(int tolerated) -> failed > tolerated;
            case Threshold.Percent(int tolerated) ->
                    BigInteger.valueOf(failed)
                                    .multiply(BigInteger.valueOf(100))
                                    .compareTo(
                                            BigInteger.valueOf(tolerated)
                                                    .multiply(BigInteger.valueOf(attempted)))
                            > 0;
        };
    }

    /** Counted a second time and not asked of the rollout, whose own count may be what is wrong. */
    private static boolean countsTowardThreshold(Rollout after, NodeUpgrade node) {
        boolean noData = node.state() instanceof NodeState.Unreachable;
        boolean canary = after.batches().get(node.batch()).canary();
        return node.state().isFailure() && (canary || (!noData && !isExpectedFailure(after, node)));
    }

    /** The manifest said that such failures would come; never of a canary. */
    private static boolean isExpectedFailure(Rollout after, NodeUpgrade node) {
        return node.state() instanceof NodeState.Failed failed
                && after.spec().conduct().expected().reasons().contains(failed.cause().code())
                && !after.batches().get(node.batch()).canary();
    }

    /** What this rollout installed is no longer left alone but by a person's word (A11). */
    private static boolean isAcceptableSkip(NodeUpgrade node) {
        return node.state() instanceof NodeState.Skipped skipped
                && (node.installedBy() == 0 || skipped.reason() != SkipReason.ALREADY_THERE);
    }

    /** Counted a second time, as {@link #countsTowardThreshold}. */
    private static boolean isWithoutUpgrade(Rollout after) {
        return after.counters().succeeded() == 0
                && after.nodes().values().stream()
                        .anyMatch(
                                node ->
                                        !(node.state() instanceof NodeState.Skipped skipped)
                                                || skipped.reason() != SkipReason.ALREADY_THERE);
    }

    /**
     * What an upgrade may have left on a node counts as installed until a restore is verified (A13,
     * A22), or until the machine is retired.
     */
    private static void checkFailedCompensations(
            Rollout before, Rollout after, List<String> violations) {
        for (NodeUpgrade was : before.nodes().values()) {
            NodeUpgrade is = after.nodes().get(was.id());
            if (is == null || is.installedBy() != 0) {
                continue;
            }
            if (is.state() instanceof NodeState.FailedRollback && is.attempt() != 0) {
                violations.add("A13: node " + is.id() + " failed, and nothing counts as installed");
            }
            if (was.state() instanceof NodeState.FailedRollback
                    && was.attempt() != 0
                    && !isRetired(is)) {
                violations.add("A13: node " + is.id() + " is unmodified without a restore");
            }
        }
    }

    private static boolean isRetired(NodeUpgrade node) {
        return node.state() instanceof NodeState.Skipped skipped
                && skipped.reason() == SkipReason.RETIRED;
    }

    private static void checkCompletion(Rollout after, List<String> violations) {
        if (after.state() instanceof RolloutState.Completed) {
            if (isWithoutUpgrade(after)) {
                violations.add("A11: completed although every node was skipped");
            }
            after.nodes().values().stream()
                    .filter(node -> !(node.state() instanceof NodeState.Succeeded))
                    .filter(node -> !isAcceptableSkip(node))
                    .forEach(
                            node ->
                                    violations.add(
                                            "A11: completed although node "
                                                    + node.id()
                                                    + " is "
                                                    + StateNameFormatter.of(node.state())));
        }
        if (after.state() instanceof RolloutState.RolledBack) {
            after.nodes().values().stream()
                    .filter(node -> node.installedBy() != 0)
                    .forEach(
                            node ->
                                    violations.add(
                                            "A13: rolled back although node "
                                                    + node.id()
                                                    + " is not proven"));
        }
    }
}
