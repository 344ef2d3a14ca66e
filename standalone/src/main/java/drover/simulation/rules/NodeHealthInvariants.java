package drover.simulation.rules;

import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.store.check.DeclaredLimits;
import drover.coordinator.store.commit.Commit;
import drover.evaluator.assess.ProgramWatchSpec;
import drover.evaluator.assess.Verdict;
import drover.evaluator.assess.VerdictReport;
import drover.model.NodeId;
import drover.simulation.world.SimulatedOperator;
import drover.simulation.world.SimulatedWorld;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A rollout is responsible for the health of its nodes (A21 to A24). Compares what is committed
 * with what is true on the machines and with what evaluators sent; shares no code with the planner.
 */
final class NodeHealthInvariants {
    /** Three heartbeats at the idle pace of 30 s, and the longest delays of messages. */
    private static final Duration DETECTION_TIME = Duration.ofMinutes(3);

    /** A connected agent has sent several heartbeats by then. */
    private static final Duration CONNECTED = Duration.ofMinutes(2);

    /** Shortest health deadline of any rollout. */
    private static final Duration SHORTEST_DEADLINE = Duration.ofSeconds(30);

    private final SimulatedWorld world;
    private final SafetyInvariants safety;
    private final Set<String> healthy = new HashSet<>();
    private final Set<String> unhealthy = new HashSet<>();
    private final Map<String, Long> restoredAt = new HashMap<>();
    private final Map<String, Long> rolledBackAt = new HashMap<>();
    private final Set<String> rollbackRestores = new HashSet<>();

    NodeHealthInvariants(SimulatedWorld world, SafetyInvariants safety) {
        this.world = world;
        this.safety = safety;
    }

    /** An evaluator sends a verdict on an attempt. */
    void recordVerdict(VerdictReport judgement) {
        if (judgement.watch() instanceof ProgramWatchSpec watch) {
            String key = key(watch.node(), watch.attempt());
            if (judgement.verdict() instanceof Verdict.Healthy) {
                healthy.add(key);
            } else if (judgement.verdict() instanceof Verdict.Unhealthy) {
                unhealthy.add(key);
            }
        }
    }

    private static String key(NodeId node, long attempt) {
        return node + "/" + attempt;
    }

    void checkCommit(Commit commit) {
        commit.after().nodes().values().forEach(node -> checkRestoredNode(commit, node));
        commit.after().nodes().values().forEach(node -> checkRestoredIncident(commit, node));
        checkRollbackEnd(commit);
        boolean dispatches = commit.attempts().stream().anyMatch(one -> one.restoreOf() == 0);
        boolean enters =
                commit.after().nodes().keySet().stream()
                        .anyMatch(node -> becomesInFlight(commit, node));
        if (enters) {
            checkInFlightLimit(commit.after());
        }
        if (dispatches && !isForced(commit.after())) {
            checkModifiedNodes(commit.after(), false);
            checkUndecidedTargets(commit);
            checkAcceptedOffline(commit.after());
        }
        boolean completes =
                commit.after().state() instanceof RolloutState.Completed
                        && !(commit.before().state() instanceof RolloutState.Completed);
        if (completes && !isForced(commit.after())) {
            checkModifiedNodes(commit.after(), true);
        }
        boolean restores =
                commit.attempts().stream()
                        .map(one -> commit.after().nodes().get(one.node()))
                        .anyMatch(
                                node ->
                                        node != null
                                                && StateClassification.isBeingRestoredByRollback(
                                                        node));
        if (restores && commit.after().state() instanceof RolloutState.RollingBack back) {
            checkRestoreOrder(commit);
            checkRestoreStart(commit, back);
        }
    }

    private boolean isForced(Rollout rollout) {
        return safety.isForced(rollout);
    }

    private static boolean becomesInFlight(Commit commit, NodeId id) {
        NodeUpgrade was = commit.before().nodes().get(id);
        NodeUpgrade is = commit.after().nodes().get(id);
        return was != null
                && is != null
                && !StateClassification.isInFlight(was)
                && StateClassification.isInFlight(is)
                && !hasReturned(was, is);
    }

    /**
     * A node that was unreachable reports its open attempt: it may be at work since before the
     * others, and nothing on the node can be undone by waiting.
     */
    private static boolean hasReturned(NodeUpgrade was, NodeUpgrade is) {
        return was.state() instanceof NodeState.Unreachable && was.attempt() == is.attempt();
    }

    /** A21: it has been connected for long, after it was offline at its deadline. */
    private boolean isReconnectedAtWork(NodeUpgrade node) {
        return node.open()
                && node.state() instanceof NodeState.Unreachable lost
                && lost.cause().code().equals("SILENT")
                && isConnectedForLong(node.id());
    }

    /** A21: what is given work fits into the batch. */
    private void checkInFlightLimit(Rollout rollout) {
        boolean rollingBack = stateBeforePause(rollout.state()) instanceof RolloutState.RollingBack;
        long inFlight =
                count(
                        rollout,
                        node ->
                                StateClassification.isInFlight(node)
                                        || (!rollingBack && isReconnectedAtWork(node)));
        int most = Math.min(rollout.spec().maxInFlight(), allowedInFlight(rollout));
        safety.recordViolationUnless(
                inFlight <= most,
                "A21: " + inFlight + " nodes are in flight, at most " + most + " may be");
    }

    /** Limits of a rollout as its creation record has them. */
    static DeclaredLimits limitsOf(Rollout rollout) {
        int most = rollout.spec().maxInFlight();
        return new DeclaredLimits(
                rollout.batches().stream()
                        .map(batch -> Math.min(most, allowedInFlight(rollout, batch)))
                        .toList(),
                Math.min(most, StateClassification.batchSize(rollout.spec().strategy())),
                rollout.spec().strategy() instanceof Strategy.AllAtOnce all && all.forceContinue());
    }

    private static int allowedInFlight(Rollout rollout) {
        if (stateBeforePause(rollout.state()) instanceof RolloutState.RollingBack) {
            return StateClassification.batchSize(rollout.spec().strategy());
        }
        return allowedInFlight(
                rollout,
                rollout.batches().stream()
                        .filter(one -> one.phase() != BatchPhase.PROMOTED)
                        .findFirst()
                        .orElse(rollout.batches().getLast()));
    }

    private static int allowedInFlight(Rollout rollout, Batch batch) {
        int all = rollout.nodes().size();
        return switch (rollout.spec().strategy()) {
            case Strategy.Rolling(int size) -> size;
            case Strategy.Canary(int canary, int size) -> batch.canary() ? canary : size;
            case Strategy.AllAtOnce once -> all;
            case Strategy.Progressive(int size) ->
                    batch.index() <= 3 ? 1 : batch.index() == 4 ? all : size; // at most 5 nodes
        };
    }

    private static RolloutState stateBeforePause(RolloutState state) {
        return state instanceof RolloutState.Paused paused ? paused.from() : state;
    }

    /** A22: nothing that succeeded fails its probes for long, unless an operator accepted it. */
    private void checkModifiedNodes(Rollout rollout, boolean completes) {
        if (StateClassification.skipsValidation(rollout.spec().strategy())) {
            return;
        }
        long sick =
                count(
                        rollout,
                        node ->
                                node.state() instanceof NodeState.Succeeded
                                        && isUnhealthyForLong(node.id())
                                        && isConnectedForLong(node.id()));
        int tolerated = rollout.spec().offlineBudget() + rollout.acceptedOffline();
        long late =
                count(
                        rollout,
                        node ->
                                node.state() instanceof NodeState.Unhealthy unhealthy
                                        && !unhealthy.acknowledged());
        long offline =
                count(
                        rollout,
                        node ->
                                node.state() instanceof NodeState.Succeeded
                                        && isDisconnectedForLong(node.id())
                                        && !safety.retirements().isRetired(node.id()));
        safety.recordViolationUnless(
                offline <= tolerated,
                "A7: "
                        + (completes ? "completed" : "dispatched")
                        + " although "
                        + offline
                        + " nodes that succeeded have been offline for long");
        safety.recordViolationUnless(late == 0, "A22: went on with " + late + " late failures");
        safety.recordViolationUnless(
                sick == 0,
                "A22: "
                        + (completes ? "completed" : "dispatched")
                        + " although "
                        + sick
                        + " nodes that succeeded have been unhealthy for long");
    }

    /**
     * A24: targets that are not in flight and that fail their probes stay within the budget, also
     * after an attempt. A commit that only tries nodes again may leave others of them waiting.
     */
    private void checkUndecidedTargets(Commit commit) {
        Rollout rollout = commit.after();
        boolean onlyRetries =
                commit.attempts().stream()
                        .filter(one -> one.restoreOf() == 0)
                        .map(one -> Objects.requireNonNull(rollout.nodes().get(one.node())))
                        .allMatch(node -> node.attempts() > 1);
        long sick =
                count(
                        rollout,
                        node ->
                                isUndecided(node)
                                        && !(onlyRetries && isRetryPending(node))
                                        && isUnhealthyForLong(node.id())
                                        && isConnectedForLong(node.id()));
        int accepted =
                rollout.state() instanceof RolloutState.Running running
                        ? running.acceptedUnhealthy()
                        : 0;
        int budget = rollout.spec().conduct().unhealthyBudget();
        safety.recordViolationUnless(
                sick <= Math.max(budget, accepted),
                "A24: dispatched with " + sick + " unhealthy targets");
    }

    private static boolean isUndecided(NodeUpgrade node) {
        return node.state() instanceof NodeState.Pending
                || node.state() instanceof NodeState.Held
                || (node.state() instanceof NodeState.Skipped skipped
                        && skipped.reason() != SkipReason.OPERATOR);
    }

    private static boolean isRetryPending(NodeUpgrade node) {
        return node.state() instanceof NodeState.Pending && node.attempts() > 0;
    }

    /** A7: what an operator accepted does not cover nodes that returned long ago. */
    private void checkAcceptedOffline(Rollout rollout) {
        long mayBeOffline = count(rollout, this::mayBeOffline);
        safety.recordViolationUnless(
                rollout.acceptedOffline() <= mayBeOffline,
                "A7: dispatched with "
                        + rollout.acceptedOffline()
                        + " accepted offline nodes, of which "
                        + mayBeOffline
                        + " have not returned");
    }

    private boolean mayBeOffline(NodeUpgrade node) {
        return node.state() instanceof NodeState.Unreachable
                || node.state() instanceof NodeState.Skipped
                || isUndecided(node)
                || StateClassification.isInFlight(node)
                || !isConnectedForLong(node.id());
    }

    private boolean isDisconnectedForLong(NodeId node) {
        return world.node(node).disconnectedFor().compareTo(DETECTION_TIME) >= 0;
    }

    private boolean isUnhealthyForLong(NodeId node) {
        return world.node(node).machine.probesFailingFor().compareTo(DETECTION_TIME) >= 0;
    }

    private boolean isConnectedForLong(NodeId node) {
        return world.node(node).connectedFor().compareTo(CONNECTED) >= 0;
    }

    /** A23: a restored node is decided by its verdict, or after its deadline. */
    private void checkRestoredNode(Commit commit, NodeUpgrade node) {
        NodeState was = Objects.requireNonNull(commit.before().nodes().get(node.id())).state();
        String key = commit.after().id() + " " + key(node.id(), node.attempt());
        if (node.state() instanceof NodeState.Restored && !(was instanceof NodeState.Restored)) {
            restoredAt.put(key, world.time.nanos());
        }
        if (node.state() instanceof NodeState.RolledBack
                && !(was instanceof NodeState.RolledBack)) {
            rolledBackAt.put(key, world.time.nanos());
        }
        if (node.state() instanceof NodeState.Restoring restoring
                && restoring.purpose() == NodeState.RestorePurpose.ROLLBACK) {
            rollbackRestores.add(key(node.id(), restoring.attempt()));
        }
        if (was instanceof NodeState.Restored
                && node.state() instanceof NodeState.RolledBack back) {
            long waited = world.time.nanos() - restoredAt.getOrDefault(key, world.time.nanos());
            boolean right =
                    back.finding().isEmpty()
                            ? healthy.contains(key(node.id(), node.attempt()))
                            : unhealthy.contains(key(node.id(), node.attempt()))
                                    || waited >= SHORTEST_DEADLINE.toNanos();
            safety.recordViolationUnless(
                    right,
                    "A23: node "
                            + node.id()
                            + " passes the health gate of its rollback after "
                            + Duration.ofNanos(waited).toSeconds()
                            + " s without a verdict");
        }
    }

    /**
     * A23: the rollback ends when each restored node has a verdict, or after its deadline, and with
     * a health gate only with what an operator accepted.
     */
    private void checkRollbackEnd(Commit commit) {
        if (!(commit.before().state() instanceof RolloutState.RollingBack back)
                || !(commit.after().state() instanceof RolloutState.RolledBack)) {
            return;
        }
        for (NodeUpgrade node : commit.after().nodes().values()) {
            if (node.state() instanceof NodeState.RolledBack done && !done.runId().isEmpty()) {
                String attempt = key(node.id(), node.attempt());
                String key = commit.after().id() + " " + attempt;
                long waited = world.time.nanos() - rolledBackAt.getOrDefault(key, 0L);
                safety.recordViolationUnless(
                        healthy.contains(attempt)
                                || isAttemptedLater(commit.after(), node)
                                || done.finding().isPresent()
                                || waited >= SHORTEST_DEADLINE.toNanos(),
                        "A23: the rollback ends before the health of node "
                                + node.id()
                                + " is known");
            }
        }
        checkFindings(commit.after());
        if (back.health() == RollbackHealthPolicy.IGNORE
                && count(commit.after(), NodeHealthInvariants::isRestoredUnhealthy) > 0) {
            world.counts.count("rolled back with unhealthy nodes ignored");
        }
        long unhealthyNodes = count(commit.after(), NodeHealthInvariants::isRestoredUnhealthy);
        safety.recordViolationUnless(
                back.health() == RollbackHealthPolicy.IGNORE
                        || unhealthyNodes <= back.acceptedUnhealthy(),
                "A23: the rollback ends with " + unhealthyNodes + " unhealthy restored nodes");
    }

    /** A23: a rollback of any mode ends with a finding, and so with an incident, of such a node. */
    private void checkFindings(Rollout rollout) {
        long missed =
                count(
                        rollout,
                        node ->
                                node.state() instanceof NodeState.RolledBack done
                                        && !done.runId().isEmpty()
                                        && done.finding().isEmpty()
                                        && isUnhealthyForLong(node.id())
                                        && isConnectedForLong(node.id())
                                        && !isAttemptedLater(rollout, node));
        safety.recordViolationUnless(
                missed == 0,
                "A23: the rollback ends without a finding of "
                        + missed
                        + " restored nodes that have been unhealthy for long");
    }

    /** A23: in each mode, a restored node that is found unhealthy has an incident. */
    private void checkRestoredIncident(Commit commit, NodeUpgrade node) {
        NodeState was = Objects.requireNonNull(commit.before().nodes().get(node.id())).state();
        if (!(node.state() instanceof NodeState.RolledBack done)
                || done.finding().filter(NodeHealthInvariants::isFailure).isEmpty()
                || was.equals(done)) {
            return;
        }
        world.counts.count("restored node is found unhealthy");
        boolean has =
                world.store.incidents().list(SimulatedOperator.ALL_INCIDENTS).stream()
                        .anyMatch(
                                one ->
                                        one.category() == IncidentCategory.NODE_UNHEALTHY
                                                && one.node().equals(node.id())
                                                && commit.after().id().equals(one.rollout()));
        safety.recordViolationUnless(
                has, "A23: node " + node.id() + " was restored, is unhealthy and has no incident");
    }

    /** R3: without data nothing is known to have failed. */
    private static boolean isFailure(Cause finding) {
        return !finding.code().equals("NO_DATA");
    }

    /** Then the report of its gateway decides about its health. */
    private boolean isAttemptedLater(Rollout own, NodeUpgrade node) {
        return world.store.rollouts().stream()
                .filter(other -> !other.id().equals(own.id()))
                .map(other -> other.nodes().get(node.id()))
                .anyMatch(other -> other != null && other.attempt() > node.attempt());
    }

    private static boolean isRestoredUnhealthy(NodeUpgrade node) {
        return node.state() instanceof NodeState.RolledBack done && done.finding().isPresent();
    }

    /** A23: no healthy node is restored while one that fails its probes waits. */
    private void checkRestoreOrder(Commit commit) {
        boolean healthyFirst =
                commit.attempts().stream()
                        .map(one -> one.node())
                        .filter(node -> isRolledBackFromSuccess(commit, node))
                        .anyMatch(node -> world.node(node).machine.probesFailingFor().isZero());
        long waiting =
                count(
                        commit.after(),
                        node ->
                                (node.state() instanceof NodeState.Succeeded
                                                || node.state() instanceof NodeState.Unhealthy)
                                        && isUnhealthyForLong(node.id())
                                        && isConnectedForLong(node.id())
                                        && !isInFlightElsewhere(commit.after(), node.id()));
        safety.recordViolationUnless(
                !healthyFirst || waiting == 0,
                "A23: a healthy node is restored before " + waiting + " unhealthy ones");
    }

    private static boolean isRolledBackFromSuccess(Commit commit, NodeId id) {
        NodeUpgrade was = commit.before().nodes().get(id);
        NodeUpgrade is = commit.after().nodes().get(id);
        return was != null
                && is != null
                && was.state() instanceof NodeState.Succeeded
                && StateClassification.isBeingRestoredByRollback(is);
    }

    /** Whether another rollout works on the node, or a clear is open. */
    private boolean isInFlightElsewhere(Rollout own, NodeId id) {
        return safety.isAwaitingClear(id)
                || world.store.rollouts().stream()
                        .filter(other -> !other.id().equals(own.id()))
                        .map(other -> other.nodes().get(id))
                        .anyMatch(
                                node ->
                                        node != null
                                                && (node.open()
                                                        || StateClassification.isInFlight(node)));
    }

    private void checkRestoreStart(Commit commit, RolloutState.RollingBack back) {
        if (back.health() == RollbackHealthPolicy.IGNORE) {
            return;
        }
        safety.recordViolationUnless(
                count(commit.after(), node -> isStillRestored(commit, node)) == 0,
                "A23: a node is restored while the health of another one is awaited");
        long cleared =
                count(
                        commit.after(),
                        node ->
                                node.state() instanceof NodeState.FailedRollback failed
                                        && isFailedRestore(node, failed.attempt())
                                        && !safety.isAwaitingClear(node.id())
                                        && !failed.since().isAfter(back.since()));
        long open =
                count(commit.after(), this::isLeftUnhealthyOrUnverified)
                        - Math.max(0, back.acceptedUnhealthy() - cleared);
        safety.recordViolationUnless(
                open <= 0,
                "A23: a node is restored although " + open + " restored ones are unhealthy");
    }

    /** Restored and unhealthy, or not restored although it was tried; a cleared one is not left. */
    private boolean isLeftUnhealthyOrUnverified(NodeUpgrade node) {
        return switch (node.state()) {
            case NodeState.RolledBack done -> done.finding().isPresent();
            case NodeState.FailedRollback failed ->
                    isFailedRestore(node, failed.attempt()) && safety.isAwaitingClear(node.id());
            case NodeState.Unreachable lost ->
                    lost.restoreOf() != 0
                            && rollbackRestores.contains(key(node.id(), lost.attempt()));
            default -> false;
        };
    }

    /** A restore that a health gate of the upgrade made is no part of the rollback. */
    private boolean isFailedRestore(NodeUpgrade node, long attempt) {
        return node.installedBy() != 0 && rollbackRestores.contains(key(node.id(), attempt));
    }

    private static boolean isStillRestored(Commit commit, NodeUpgrade node) {
        NodeUpgrade was = commit.before().nodes().get(node.id());
        return node.state() instanceof NodeState.Restored
                && was != null
                && was.state() instanceof NodeState.Restored;
    }

    private static long count(Rollout rollout, Predicate<NodeUpgrade> which) {
        return rollout.nodes().values().stream().filter(which).count();
    }
}
