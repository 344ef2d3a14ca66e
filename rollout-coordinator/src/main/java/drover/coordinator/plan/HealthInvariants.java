package drover.coordinator.plan;

import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.ProgramKind;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.NodeView.ProgramHealth;
import drover.coordinator.plan.observed.NodeView.ProgramHealth.Level;
import drover.coordinator.plan.observed.NodeView.ProgramView;
import drover.coordinator.plan.step.Step;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks a step against what was known of the fleet's health and visibility, independently of the
 * planner that made it (R3, A21 to A24). Part of {@link StepViolationFinder}.
 */
final class HealthInvariants {
    private HealthInvariants() {}

    static void check(Rollout before, Step step, FleetView fleet, List<String> violations) {
        boolean dispatches = step.attempts().stream().anyMatch(one -> one.restoreOf() == 0);
        if (dispatches && fleet.completeViewSince() == null) {
            violations.add("R3: dispatched without fleet visibility");
        }
        checkInFlight(before, step, fleet, violations);
        checkModifiedAfterSkip(before, step.next(), fleet, violations);
        checkRestores(before, step, fleet, violations);
        checkRollbackEnd(before, step, violations);
        if (step.next().ignoresFailures()) {
            return;
        }
        if (dispatches) {
            checkUndecided(step, fleet, violations);
            checkAcceptedOffline(step.next(), fleet, violations);
            checkSucceeded(step.next(), fleet, false, violations);
        }
        if (step.next().state() instanceof RolloutState.Completed
                && !(before.state() instanceof RolloutState.Completed)) {
            checkSucceeded(step.next(), fleet, true, violations);
        }
    }

    /**
     * A21: nodes that enter fit into the batch, together with unreachable nodes that are connected
     * again and may be at work. Only such a node may exceed the limit when it reports: its attempt
     * was given while it was within the limit. A rollback does not wait for these nodes.
     */
    private static void checkInFlight(
            Rollout before, Step step, FleetView fleet, List<String> violations) {
        Rollout after = step.next();
        boolean enters = after.nodes().values().stream().anyMatch(node -> enters(before, node));
        long now =
                after.nodes().values().stream()
                        .filter(node -> node.state().isInFlight() || isAtWork(after, node, fleet))
                        .count();
        int limit = inFlightLimit(after);
        if (enters && now > limit) {
            violations.add("A21: " + now + " nodes in flight, more than " + limit);
        }
    }

    private static boolean enters(Rollout before, NodeUpgrade node) {
        NodeUpgrade was = before.nodes().get(node.id());
        boolean returned =
                was != null
                        && was.state() instanceof NodeState.Unreachable
                        && was.attempt() == node.attempt();
        return node.state().isInFlight() && was != null && !was.state().isInFlight() && !returned;
    }

    private static boolean isAtWork(Rollout after, NodeUpgrade node, FleetView fleet) {
        return !isRollingBack(after.state())
                && node.open()
                && node.state() instanceof NodeState.Unreachable lost
                && !lost.cause().code().equals("UNRESPONSIVE")
                && fleet.node(node.id()) instanceof NodeView.Present;
    }

    /** A22: a skipped node whose open attempt installed the target after all is evaluated. */
    private static void checkModifiedAfterSkip(
            Rollout before, Rollout after, FleetView fleet, List<String> violations) {
        RolloutState state =
                before.state() instanceof RolloutState.Paused paused
                        ? paused.from()
                        : before.state();
        if (!(state instanceof RolloutState.Running)
                && !(state instanceof RolloutState.AwaitingApproval)) {
            return;
        }
        for (NodeUpgrade was : before.nodes().values()) {
            NodeUpgrade is = after.nodes().get(was.id());
            boolean succeeded =
                    fleet.latestStatus(was.id())
                            .filter(report -> report.attempt() == was.attempt())
                            .filter(report -> report.outcome() == AttemptOutcome.SUCCEEDED)
                            .isPresent();
            if (was.open()
                    && was.state() instanceof NodeState.Skipped
                    && succeeded
                    && is != null
                    && is.state() instanceof NodeState.Skipped) {
                violations.add("A22: node " + was.id() + " was upgraded, and stays skipped");
            }
        }
    }

    /** The declared sizes, computed here and not by the strategy. */
    private static int inFlightLimit(Rollout rollout) {
        Strategy strategy = rollout.spec().strategy();
        if (isRollingBack(rollout.state())) {
            return Math.min(strategy.batchSize(), rollout.spec().maxInFlight());
        }
        Batch batch = rollout.batches().get(rollout.currentBatch());
        int targets = rollout.nodes().size();
        int size =
                switch (strategy) {
                    case Strategy.Rolling(int batchSize) -> batchSize;
                    case Strategy.Canary(int canary, int batchSize) ->
                            batch.canary() ? canary : batchSize;
                    case Strategy.AllAtOnce all -> targets;
                    case Strategy.Progressive(int batchSize) ->
                            switch (batch.index()) {
                                case 0 -> 1;
                                case 1 -> percentOf(targets, 1);
                                case 2 -> percentOf(targets, 5);
                                case 3 -> percentOf(targets, 20);
                                case 4 -> targets;
                                default -> batchSize;
                            };
                };
        return Math.min(size, rollout.spec().maxInFlight());
    }

    private static int percentOf(int targets, int percent) {
        return Math.max(1, (targets * percent + 99) / 100);
    }

    private static boolean isRollingBack(RolloutState state) {
        return state instanceof RolloutState.RollingBack
                || (state instanceof RolloutState.Paused paused
                        && paused.from() instanceof RolloutState.RollingBack);
    }

    /**
     * A23: no node is restored while the health gate of others is open, or R3 without visibility.
     */
    private static void checkRestores(
            Rollout before, Step step, FleetView fleet, List<String> violations) {
        boolean restores = step.attempts().stream().anyMatch(one -> isRollback(step.next(), one));
        if (!(step.next().state() instanceof RolloutState.RollingBack back) || !restores) {
            return;
        }
        if (fleet.completeViewSince() == null) {
            violations.add("R3: restored without fleet visibility");
        }
        boolean gated =
                step.next().nodes().values().stream()
                        .anyMatch(
                                node ->
                                        node.state() instanceof NodeState.Restored
                                                && node.equals(before.nodes().get(node.id())));
        if (gated && back.health() != RollbackHealthPolicy.IGNORE) {
            violations.add("A23: restored a node before the health gate of another one decided");
        }
        checkRestoreOrder(before, step, fleet, violations);
        if (back.health() != RollbackHealthPolicy.IGNORE) {
            checkRolledBack(step.next(), fleet, violations);
        }
    }

    /** A23: no healthy node is restored while an unhealthy one waits that could be restored. */
    private static void checkRestoreOrder(
            Rollout before, Step step, FleetView fleet, List<String> violations) {
        Rollout after = step.next();
        boolean healthy =
                step.attempts().stream()
                        .filter(one -> isRollback(after, one))
                        .map(one -> before.nodes().get(one.node()))
                        .anyMatch(
                                node ->
                                        node != null
                                                && node.state() instanceof NodeState.Succeeded
                                                && !isKnownUnhealthy(before, node, fleet));
        after.nodes().values().stream()
                .filter(node -> node.installedBy() != 0)
                .filter(
                        node ->
                                node.state() instanceof NodeState.Succeeded
                                        || node.state() instanceof NodeState.Unhealthy)
                .filter(node -> fleet.node(node.id()) instanceof NodeView.Present)
                .filter(node -> !isReservedByOther(after, node, fleet))
                .filter(node -> isKnownUnhealthy(after, node, fleet))
                .filter(node -> healthy)
                .forEach(
                        node ->
                                violations.add(
                                        "A23: restored a healthy node before unhealthy node "
                                                + node.id()));
    }

    private static boolean isReservedByOther(Rollout rollout, NodeUpgrade node, FleetView fleet) {
        return fleet.reservation(node.id()).otherReservingRollout(rollout.id()) != null;
    }

    private static boolean isKnownUnhealthy(Rollout rollout, NodeUpgrade node, FleetView fleet) {
        boolean ours = fleet.reservation(node.id()).lastAttempt() <= node.attempt();
        return node.state() instanceof NodeState.Unhealthy
                || isReportedUnhealthy(rollout, node, fleet)
                || (ours
                        && fleet.verdict(node.id())
                                .filter(one -> one.attempt() == node.attempt())
                                .filter(HealthVerdict.Unhealthy.class::isInstance)
                                .isPresent());
    }

    /** A23: each restored node is healthy by its latest verdict, or an operator accepted it. */
    private static void checkRolledBack(Rollout after, FleetView fleet, List<String> violations) {
        for (NodeUpgrade node : after.nodes().values()) {
            boolean ours = fleet.reservation(node.id()).lastAttempt() <= node.attempt();
            boolean healthy =
                    fleet.verdict(node.id())
                            .filter(one -> one.attempt() == node.attempt())
                            .filter(HealthVerdict.Healthy.class::isInstance)
                            .isPresent();
            if (node.state() instanceof NodeState.RolledBack back
                    && !back.runId().isEmpty()
                    && back.finding().isEmpty()
                    && ours
                    && !healthy) {
                violations.add(
                        "A23: restored a node although node "
                                + node.id()
                                + " is restored and not healthy");
            }
        }
    }

    /** A23: a rollback with a health gate ends only with what an operator accepted. */
    private static void checkRollbackEnd(Rollout before, Step step, List<String> violations) {
        if (!(before.state() instanceof RolloutState.RollingBack back)
                || !(step.next().state() instanceof RolloutState.RolledBack)
                || back.health() == RollbackHealthPolicy.IGNORE) {
            return;
        }
        long unhealthy =
                step.next().nodes().values().stream()
                        .filter(
                                node ->
                                        node.state() instanceof NodeState.RolledBack done
                                                && done.finding().isPresent())
                        .count();
        if (unhealthy > back.acceptedUnhealthy()) {
            violations.add("A23: ended with " + unhealthy + " unhealthy restored nodes");
        }
    }

    /** A node that its own health gate restores was in flight: it takes no further one out. */
    private static boolean isRollback(Rollout after, Step.AssignedAttempt one) {
        NodeUpgrade node = after.nodes().get(one.node());
        return node != null
                && node.state() instanceof NodeState.Restoring restoring
                && restoring.purpose() == NodeState.RestorePurpose.ROLLBACK
                && restoring.cause().code().equals("ROLLBACK");
    }

    /**
     * A24: the other targets that are unhealthy stay within the unhealthy budget. A7: those without
     * health data, too, or within the offline budget.
     */
    private static void checkUndecided(Step step, FleetView fleet, List<String> violations) {
        Rollout after = step.next();
        int accepted =
                after.state() instanceof RolloutState.Running running
                        ? running.acceptedUnhealthy()
                        : Integer.MAX_VALUE;
        int budget = Math.max(accepted, after.spec().conduct().unhealthyBudget());
        List<NodeUpgrade> undecided = findUndecided(step);
        long unhealthy =
                undecided.stream().filter(node -> isReportedUnhealthy(after, node, fleet)).count();
        if (unhealthy > budget) {
            violations.add("A24: dispatched with " + unhealthy + " unhealthy targets");
        }
        long unknown =
                undecided.stream()
                        .filter(node -> !wasSkippedOffline(node)) // it counts as offline
                        .filter(node -> reportedLevel(after, node, fleet) == Level.UNKNOWN)
                        .count();
        if (unknown > 0 && unhealthy + unknown > budget + offlineBudgetLeft(after)) {
            violations.add("A7: dispatched with " + unknown + " targets without health data");
        }
    }

    /** A step that only tries nodes again may leave others of them waiting. */
    private static List<NodeUpgrade> findUndecided(Step step) {
        Map<NodeId, NodeUpgrade> nodes = step.next().nodes();
        boolean onlyRetries =
                step.attempts().stream()
                        .filter(one -> one.restoreOf() == 0)
                        .map(one -> nodes.get(one.node()))
                        .allMatch(node -> node != null && node.attempts() > 1);
        return nodes.values().stream()
                .filter(HealthInvariants::isUndecided)
                .filter(node -> !(onlyRetries && isRetryPending(node)))
                .toList();
    }

    private static boolean isRetryPending(NodeUpgrade node) {
        return node.state() instanceof NodeState.Pending && node.attempts() > 0;
    }

    private static boolean isUndecided(NodeUpgrade node) {
        return node.state() instanceof NodeState.Pending
                || node.state() instanceof NodeState.Held
                || (node.state() instanceof NodeState.Skipped skipped
                        && skipped.reason() != SkipReason.OPERATOR);
    }

    private static boolean wasSkippedOffline(NodeUpgrade node) {
        return node.state() instanceof NodeState.Skipped skipped
                && skipped.reason() == SkipReason.OFFLINE;
    }

    private static long offlineBudgetLeft(Rollout after) {
        long used =
                after.nodes().values().stream()
                        .filter(
                                node ->
                                        node.state() instanceof NodeState.Unreachable
                                                || wasSkippedOffline(node))
                        .count();
        return Math.max(0, (long) after.spec().offlineBudget() + after.acceptedOffline() - used);
    }

    private static boolean isReportedUnhealthy(Rollout after, NodeUpgrade node, FleetView fleet) {
        Level level = reportedLevel(after, node, fleet);
        return level == Level.CRITICAL || level == Level.DOWN || level == Level.CRASH_LOOP;
    }

    /** Null where nothing reports it; agents are healthy while they are connected. */
    private static @Nullable Level reportedLevel(Rollout after, NodeUpgrade node, FleetView fleet) {
        if (!(fleet.node(node.id()) instanceof NodeView.Present present)) {
            return null;
        }
        if (after.spec().programKind() == ProgramKind.AGENT) {
            return Level.HEALTHY;
        }
        ProgramView program = present.programs().get(after.spec().binary());
        ProgramHealth health = program == null ? null : program.health();
        return health == null ? null : health.level();
    }

    /**
     * A22: every node that counts as succeeded is healthy by its latest verdict, or by the reported
     * health once another rollout has made a later attempt on it. An operator accepted each one
     * that became unhealthy. Offline nodes stay within the offline budget (A7). Machines that were
     * retired do not count.
     */
    private static void checkSucceeded(
            Rollout after, FleetView fleet, boolean completing, List<String> violations) {
        if (after.spec().strategy().skipsValidation()) {
            return;
        }
        int offline = 0;
        for (NodeUpgrade node : after.nodes().values()) {
            if (node.state() instanceof NodeState.Succeeded
                    && !isRetired(node, fleet)
                    && !isHealthy(after, node, fleet)) {
                boolean absent = fleet.node(node.id()) instanceof NodeView.Absent;
                if (absent && !isJudgedUnhealthy(node, fleet)) {
                    offline++;
                } else {
                    violations.add(unhealthyViolation(node, completing));
                }
            }
            if (node.state() instanceof NodeState.Unhealthy late && !late.acknowledged()) {
                violations.add(unhealthyViolation(node, completing));
            }
        }
        if (offline > offlineBudgetLeft(after)) {
            violations.add("A7: " + offline + " nodes that succeeded are offline");
        }
    }

    /** Computed here and not by the node: its machine is no longer in the fleet. */
    private static boolean isRetired(NodeUpgrade node, FleetView fleet) {
        return node.installedBy() != 0
                && node.installedBy() <= fleet.reservation(node.id()).retiredAttempt();
    }

    private static boolean isHealthy(Rollout after, NodeUpgrade node, FleetView fleet) {
        if (isSuperseded(node, fleet)) {
            Level level = reportedLevel(after, node, fleet);
            return level == Level.HEALTHY || level == Level.DEGRADED;
        }
        return latestVerdict(node, fleet) instanceof HealthVerdict.Healthy;
    }

    private static boolean isSuperseded(NodeUpgrade node, FleetView fleet) {
        return fleet.reservation(node.id()).lastAttempt() > node.attempt();
    }

    private static boolean isJudgedUnhealthy(NodeUpgrade node, FleetView fleet) {
        return !isSuperseded(node, fleet)
                && !(latestVerdict(node, fleet) instanceof HealthVerdict.NoData);
    }

    private static HealthVerdict latestVerdict(NodeUpgrade node, FleetView fleet) {
        return fleet.verdict(node.id())
                .filter(one -> one.attempt() == node.attempt())
                .orElse(new HealthVerdict.NoData(node.attempt(), ""));
    }

    /** A7: nodes that returned are not covered by what an operator accepted. */
    private static void checkAcceptedOffline(
            Rollout after, FleetView fleet, List<String> violations) {
        long mayBeOffline =
                after.nodes().values().stream()
                        .filter(node -> mayBeOffline(after, node, fleet))
                        .count();
        if (after.acceptedOffline() > mayBeOffline) {
            violations.add(
                    "A7: dispatched with "
                            + after.acceptedOffline()
                            + " accepted offline nodes, of which "
                            + mayBeOffline
                            + " have not returned");
        }
    }

    private static boolean mayBeOffline(Rollout after, NodeUpgrade node, FleetView fleet) {
        if (node.state() instanceof NodeState.Unreachable || wasSkippedOffline(node)) {
            return true;
        }
        boolean disconnected = !(fleet.node(node.id()) instanceof NodeView.Present);
        return disconnected
                || reportedLevel(after, node, fleet) == Level.UNKNOWN
                || node.state().isInFlight(); // it was counted before this step
    }

    private static String unhealthyViolation(NodeUpgrade node, boolean completing) {
        return "A22: "
                + (completing ? "completed" : "dispatched")
                + " although node "
                + node.id()
                + " is not healthy";
    }
}
