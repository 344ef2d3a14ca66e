package drover.simulation.rules;

import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.store.commit.Commit;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What gives nodes out: threshold, canary, approval, room (A1, A6, A9, A14, D14). Counts for itself
 * and asks the planner's own methods nothing that it would have to be right about.
 */
final class DispatchGateInvariants {
    private final SafetyInvariants safety;
    private final Supplier<Instant> now;
    private final Set<RolloutId> forced = new HashSet<>();
    private final Set<RolloutId> approved = new HashSet<>();
    private final Set<NodeId> marked = new HashSet<>();
    private final RecordedLeaderVerdicts facts = new RecordedLeaderVerdicts();

    DispatchGateInvariants(SafetyInvariants safety, Supplier<Instant> now) {
        this.safety = safety;
        this.now = now;
    }

    /** An agent could not bring its node back (D14). */
    void recordFailedRestore(NodeId node) {
        marked.add(node);
    }

    /** Whether nobody has cleared it since. */
    boolean isAwaitingClear(NodeId node) {
        return marked.contains(node);
    }

    /** Its agent has looked at it, as somebody asked. */
    void recordCleared(NodeId node) {
        marked.remove(node);
    }

    void checkCommit(Commit commit) {
        recordCommit(commit);
        for (Commit.NewAttempt attempt : commit.attempts()) {
            NodeUpgrade node = commit.after().nodes().get(attempt.node());
            if (node != null && attempt.restoreOf() == 0) {
                checkDispatch(commit.after(), node);
                requireNoHold(commit.before(), node);
            }
            if (hadFailedRollback(commit.before(), attempt.node()) && attempt.restoreOf() != 0) {
                safety.recordRepeatedRestore(attempt.node(), marked.contains(attempt.node()));
            }
        }
        commit.after().batches().stream()
                .filter(batch -> isNewlyPromoted(commit.before(), batch))
                .forEach(batch -> checkPromotion(commit.after(), batch));
    }

    private void recordCommit(Commit commit) {
        commit.after().nodes().values().stream()
                .filter(node -> node.state() instanceof NodeState.FailedRollback)
                .filter(node -> !hadFailedRollback(commit.before(), node.id()))
                .forEach(node -> recordFailedRestore(node.id()));
        for (var row : commit.history()) {
            if (row.because().code().equals("FORCED")) {
                forced.add(commit.after().id());
                checkForced(commit);
            }
            if (row.because().code().equals("APPROVED")) {
                approved.add(commit.after().id());
                checkApproval(commit.before());
            }
            if (row.to().equals("awaiting_approval")) {
                approved.remove(commit.after().id()); // whatever it was, it is asked for again
            }
        }
        facts.recordCommit(commit);
    }

    private static boolean hadFailedRollback(Rollout before, NodeId node) {
        NodeUpgrade was = before.nodes().get(node);
        return was != null && was.state() instanceof NodeState.FailedRollback;
    }

    /** Never a way around an approval or out of a pause for another reason (A9, A6). */
    private void checkForced(Commit commit) {
        boolean waits =
                switch (commit.before().state()) {
                    case RolloutState.Running running -> false;
                    case RolloutState.Paused paused -> !isAboutFailures(paused);
                    default -> true;
                };
        safety.recordViolationUnless(
                !waits || commit.after().state().equals(commit.before().state()),
                "A6: forcing goes on from " + commit.before().state());
    }

    private static boolean isAboutFailures(RolloutState.Paused paused) {
        return switch (paused.reason()) {
            case FAILURE_THRESHOLD, CANARY_FAILED, FAILED_NODES_REMAIN, SUCCEEDED_UNHEALTHY -> true;
            default -> false;
        };
    }

    private void checkApproval(Rollout rollout) {
        rollout.nodes().values().stream()
                .filter(node -> rollout.batches().get(node.batch()).canary())
                .filter(node -> !isDecided(node))
                .forEach(node -> safety.violationFound("A9: approved before canary " + node.id()));
    }

    private static boolean isDecided(NodeUpgrade node) {
        return !StateClassification.isInFlight(node)
                && !(node.state() instanceof NodeState.Pending);
    }

    private void checkDispatch(Rollout rollout, NodeUpgrade node) {
        RolloutSpec spec = rollout.spec();
        int failed =
                countTowardsThreshold(rollout, nodesUpToBatch(rollout, node.batch()))
                        - acknowledgedFailures(rollout);
        long nodes =
                rollout.nodes().values().stream()
                        .filter(n -> n.attempts() > 0)
                        .filter(n -> !(n.state() instanceof NodeState.Skipped))
                        .count();
        safety.recordViolationUnless(
                isForced(rollout) || !StateClassification.exceeds(spec.threshold(), failed, nodes),
                "A6: " + node.id() + " is dispatched with " + failed + " of " + nodes + " failed");
        safety.recordViolationUnless(
                acknowledgedFailures(rollout) <= countTowardsThreshold(rollout),
                "A6: " + node.id() + " is dispatched, and more is accepted than has failed");
        boolean needsApproval =
                spec.migration() == MigrationType.BREAKING && isAfterCanary(rollout, node);
        safety.recordViolationUnless(
                !needsApproval || approved.contains(rollout.id()),
                "A9: " + node.id() + " is dispatched and nobody approved the canary");
        long inFlight = inFlight(rollout).count();
        safety.recordViolationUnless(
                inFlight <= spec.maxInFlight(),
                "A1: " + inFlight + " in flight, but at most " + spec.maxInFlight() + " may be");
        safety.recordViolationUnless(
                inFlight(rollout).map(NodeUpgrade::batch).distinct().count() <= 1
                        || !(rollout.state() instanceof RolloutState.Running),
                "A1: " + node.id() + " is dispatched beside another batch");
        safety.recordViolationUnless(
                !marked.contains(node.id()),
                "D14: " + node.id() + " is dispatched, and nobody has cleared it");
    }

    private void requireNoHold(Rollout before, NodeUpgrade node) {
        NodeUpgrade was = before.nodes().get(node.id());
        boolean held =
                was != null
                        && was.state() instanceof NodeState.Held hold
                        && now.get().isBefore(hold.until());
        safety.recordViolationUnless(
                !held, "A8: " + node.id() + " is dispatched while an operator holds it");
    }

    /** Whether there is a canary, and the node is not of it. */
    private static boolean isAfterCanary(Rollout rollout, NodeUpgrade node) {
        return rollout.batches().getFirst().canary()
                && !rollout.batches().get(node.batch()).canary();
    }

    private static boolean isNewlyPromoted(Rollout before, Batch batch) {
        boolean had =
                batch.index() < before.batches().size()
                        && before.batches().get(batch.index()).phase() == BatchPhase.PROMOTED;
        return batch.phase() == BatchPhase.PROMOTED && !had;
    }

    /** Any failure among the canary pauses, whatever the threshold. */
    private void checkPromotion(Rollout rollout, Batch batch) {
        if (batch.canary() && rollout.spec().migration() == MigrationType.BREAKING) {
            requireApprovalValid(rollout, batch);
        }
        safety.recordViolationUnless(
                !batch.canary()
                        || StateClassification.inBatch(rollout, batch.index())
                                .anyMatch(node -> !(node.state() instanceof NodeState.Skipped)),
                "A5: the canary passes, and nobody tried it");
        if (batch.canary() && !isForced(rollout)) {
            int failed = countTowardsThreshold(rollout, nodesUpToBatch(rollout, batch.index()));
            safety.recordViolationUnless(
                    failed <= acknowledgedFailures(rollout),
                    "A6: the canary passes with " + failed + " failed nodes");
        }
        StateClassification.inBatch(rollout, batch.index())
                .filter(node -> !isDecided(node))
                .forEach(
                        node -> safety.violationFound("A5: batch passed before node " + node.id()));
    }

    /** It was given, and what was approved is as well as it was when the next work follows. */
    private void requireApprovalValid(Rollout rollout, Batch canary) {
        safety.recordViolationUnless(
                approved.contains(rollout.id()), "A9: the canary passes and nobody approved it");
        StateClassification.inBatch(rollout, canary.index())
                .filter(node -> node.state() instanceof NodeState.Succeeded)
                .filter(node -> facts.isUnhealthy(rollout.id(), node))
                .forEach(
                        node ->
                                safety.violationFound(
                                        "A9: approved canary " + node.id() + " is unwell"));
    }

    boolean isForced(Rollout rollout) {
        return forced.contains(rollout.id())
                || (rollout.spec().strategy() instanceof Strategy.AllAtOnce all
                        && all.forceContinue());
    }

    private static int acknowledgedFailures(Rollout rollout) {
        return rollout.acknowledgedFailures();
    }

    private static Stream<NodeUpgrade> nodesUpToBatch(Rollout rollout, int batch) {
        return rollout.nodes().values().stream().filter(node -> node.batch() <= batch);
    }

    private static Stream<NodeUpgrade> inFlight(Rollout rollout) {
        return rollout.nodes().values().stream().filter(StateClassification::isInFlight);
    }

    /** Failed, and of those that went silent as many as there are beyond the budget (A7). */
    static int countTowardsThreshold(Rollout rollout, Stream<NodeUpgrade> among) {
        int failed = 0;
        int noData = 0;
        for (NodeUpgrade node : among.toList()) {
            switch (node.state()) {
                case NodeState.Failed f -> failed++;
                case NodeState.Unhealthy u -> failed++;
                case NodeState.FailedRollback f -> failed++;
                case NodeState.Unreachable u when !isCanary(rollout, node) -> noData++;
                case NodeState.Unreachable u -> failed++; // a canary proves by being heard
                default -> {} // succeeded, skipped, or not decided
            }
        }
        return failed + Math.max(0, noData - rollout.spec().offlineBudget());
    }

    private static boolean isCanary(Rollout rollout, NodeUpgrade node) {
        return rollout.batches().get(node.batch()).canary();
    }

    /** Failures up to the first batch that has not passed. */
    static int countTowardsThreshold(Rollout rollout) {
        int current =
                rollout.batches().stream()
                        .filter(batch -> batch.phase() != BatchPhase.PROMOTED)
                        .mapToInt(Batch::index)
                        .findFirst()
                        .orElse(rollout.batches().size() - 1);
        return countTowardsThreshold(rollout, nodesUpToBatch(rollout, current));
    }
}
