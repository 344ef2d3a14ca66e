package drover.coordinator.plan.explain;

import drover.coordinator.plan.batch.AllTargetsHealthGate;
import drover.coordinator.plan.batch.ApprovalRules;
import drover.coordinator.plan.batch.LateFailureRules;
import drover.coordinator.plan.batch.RollbackOrder;
import drover.coordinator.plan.batch.UnhealthyBudget;
import drover.coordinator.plan.health.NodeDeadlineEnforcer;
import drover.coordinator.plan.health.OldAgentStopRules;
import drover.coordinator.plan.health.RestoredNodeHealthGate;
import drover.coordinator.plan.health.RollbackAcceptance;
import drover.coordinator.plan.model.Handover;
import drover.coordinator.plan.model.NodeCounters;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipSummary;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.step.TargetHealthConcerns;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Says, in ordered typed reasons, why a rollout is where it is and what it waits for. */
public final class RolloutExplainer {
    private static final int MOST_NODES = 20; // a screen; the nodes' own list has them all

    private RolloutExplainer() {}

    /** What holds now: first the rollout itself, then the nodes it waits for. */
    public static List<Reason> explain(Rollout rollout, FleetView fleet) {
        List<Reason> reasons = new ArrayList<>();
        reasons.add(new Reason("", rolloutReason(rollout, fleet)));
        rollout.nodes().values().stream()
                .filter(node -> node.state().isInFlight() || node.state().isFailure())
                .limit(MOST_NODES)
                .forEach(
                        node ->
                                reasons.add(
                                        new Reason(
                                                node.id().value(),
                                                nodeReason(rollout, node, fleet))));
        return reasons;
    }

    /**
     * One reason.
     *
     * @param node node concerned; empty when the rollout is
     */
    public record Reason(String node, Cause cause) {}

    /** One sentence and its code for the rollout as a whole. */
    public static Cause rolloutReason(Rollout rollout, FleetView fleet) {
        NodeCounters counters = rollout.counters();
        return switch (rollout.state()) {
            case RolloutState.Pending p -> new Cause("NOT_STARTED", "It waits to be started.");
            case RolloutState.Running r -> runningReason(rollout, r, fleet);
            case RolloutState.AwaitingApproval a ->
                    new Cause(
                            "AWAITING_APPROVAL",
                            "The canary is proven; look at its evidence and approve it to go on.");
            case RolloutState.Paused(var from, PauseReason reason, var since) ->
                    pauseReason(rollout, reason, fleet);
            case RolloutState.Cancelling c ->
                    new Cause("CANCELLING", cancellingSentence(inFlightCount(rollout)));
            case RolloutState.RollingBack back -> rollingBackReason(rollout, back, fleet);
            case RolloutState.Completed c ->
                    new Cause(
                            "COMPLETED",
                            StateNameFormatter.formatNodeCount(counters.succeeded())
                                    + " proven at the target, "
                                    + counters.skipped()
                                    + " skipped.");
            case RolloutState.Failed(RolloutFailureReason reason, var since) ->
                    failedReason(rollout, reason);
            case RolloutState.Cancelled c -> cancelledReason(counters);
            case RolloutState.RolledBack r ->
                    new Cause("ROLLED_BACK", "Every touched node is proven at what it ran before.");
        };
    }

    private static Cause rollingBackReason(
            Rollout rollout, RolloutState.RollingBack back, FleetView fleet) {
        String awaited =
                rollout.nodes().values().stream()
                        .filter(node -> fleet.isLeaderView())
                        .filter(
                                node ->
                                        RestoredNodeHealthGate.isHealthAwaited(
                                                        rollout.spec(), fleet, node)
                                                || RollbackAcceptance.isRestoredAndUnhealthy(node))
                        .findFirst()
                        .map(
                                node ->
                                        " It waits for the health of node "
                                                + node.id()
                                                + ", which is restored.")
                        .orElse("");
        return new Cause(
                "ROLLING_BACK",
                "The rollback has restored "
                        + StateNameFormatter.formatNodeCount(rollout.counters().rolledBack())
                        + " so far. "
                        + RollbackOrder.describe(rollout, fleet, back.health())
                        + (back.health() == RollbackHealthPolicy.IGNORE ? "" : awaited));
    }

    private static Cause runningReason(Rollout rollout, RolloutState.Running r, FleetView fleet) {
        if (fleet.completeViewSince() == null) {
            return new Cause(
                    "NO_FLEET_VISIBILITY",
                    "The fleet is not in full view; nothing is dispatched or judged until it is.");
        }
        if (ApprovalRules.hasUnusedApproval(rollout)) {
            return new Cause(
                    "APPROVED",
                    "The canary is approved; the rest follows as soon as the canary is seen well and"
                            + " a node of the rest can be given work.");
        }
        Optional<Cause> health = AllTargetsHealthGate.findWaitCause(rollout, r, fleet);
        if (health.isPresent()) {
            return health.get();
        }
        Optional<Cause> reconnected = findReconnectedCause(rollout, fleet);
        if (reconnected.isPresent()) {
            return reconnected.get();
        }
        int current = rollout.currentBatch();
        String waiting =
                rollout.nodes().values().stream()
                        .filter(node -> node.batch() == current)
                        .filter(
                                node ->
                                        node.state().isInFlight()
                                                || node.state() instanceof NodeState.Pending)
                        .collect(
                                Collectors.groupingBy(
                                        node -> StateNameFormatter.of(node.state()),
                                        java.util.TreeMap::new,
                                        Collectors.counting()))
                        .entrySet()
                        .stream()
                        .map(entry -> entry.getValue() + " " + entry.getKey())
                        .collect(Collectors.joining(", "));
        return new Cause(
                "BATCH_IN_FLIGHT",
                "Batch "
                        + (current + 1)
                        + " of "
                        + rollout.batches().size()
                        + ": "
                        + (waiting.isEmpty() ? "decided" : waiting)
                        + ".");
    }

    /** Nodes that wait for a node that counts as in flight although its state does not say so. */
    private static Optional<Cause> findReconnectedCause(Rollout rollout, FleetView fleet) {
        boolean waits =
                rollout.nodesInBatch(rollout.currentBatch())
                                .anyMatch(node -> node.state() instanceof NodeState.Pending)
                        && inFlightCount(rollout) == 0;
        return rollout.nodes().values().stream()
                .filter(node -> waits && node.isReconnectedAtWork(fleet.node(node.id())))
                .findFirst()
                .map(
                        node ->
                                new Cause(
                                        "NODE_RECONNECTED",
                                        "Node "
                                                + node.id()
                                                + " is connected again, and its attempt "
                                                + node.attempt()
                                                + " is open: further nodes wait for its result. If"
                                                + " it sends none, check its agent, or skip the"
                                                + " node to continue."));
    }

    private static Cause pauseReason(Rollout rollout, PauseReason reason, FleetView fleet) {
        int failures = rollout.thresholdFailureCount();
        boolean decided =
                rollout.unacknowledgedFailureCount() == 0
                        && rollout.firstUnacknowledgedLateFailure().isEmpty();
        if (reason.needsAcknowledgement() && decided) {
            return new Cause(
                    reason.name(),
                    "What had failed has been retried or skipped; resume it, or roll back.");
        }
        String sentence =
                switch (reason) {
                    case OPERATOR -> "An operator paused it; resume it to go on.";
                    case FAILURE_THRESHOLD ->
                            StateNameFormatter.formatNodeCount(failures)
                                    + " failed by now, more than the threshold of "
                                    + rollout.spec().threshold()
                                    + "; look at them, then resume acknowledging "
                                    + failures
                                    + ", or roll back.";
                    case CANARY_FAILED ->
                            "The canary failed: "
                                    + firstFailureSentence(rollout)
                                    + " Roll back, or look at it and resume acknowledging "
                                    + failures
                                    + ".";
                    case FAILED_NODES_REMAIN ->
                            StateNameFormatter.formatNodeCount(rollout.counters().failed())
                                    + " failed and nothing else is left to do; retry or skip them, or roll back.";
                    case NO_FLEET_VISIBILITY ->
                            "The coordinator could not see the fleet for 15 minutes; resume it when the gateways are back.";
                    case HEALTH_UNAVAILABLE -> noHealthSentence(rollout, fleet);
                    case NODES_OFFLINE ->
                            "Nodes were offline or without health data, more than the offline"
                                    + " budget allows; reconnect or retry them, or resume to accept it.";
                    case SUCCEEDED_UNHEALTHY ->
                            StateNameFormatter.formatNodeCount(failures)
                                    + " failed or became unhealthy after they had succeeded: "
                                    + rollout.firstUnacknowledgedLateFailure()
                                            .map(RolloutExplainer::nodeSentence)
                                            .orElseGet(() -> firstFailureSentence(rollout))
                                    + " Wait until they are healthy and resume, resume acknowledging "
                                    + failures
                                    + ", or roll back.";
                    case TARGETS_UNHEALTHY -> unhealthyTargetsSentence(rollout, fleet);
                    case RESTORED_UNHEALTHY -> RollbackAcceptance.describeLeft(rollout);
                    case APPROVAL_EXPIRED ->
                            "Nobody approved the canary for 7 days; resume it to await approval again.";
                    case CANARY_UNHEALTHY ->
                            "A canary node is not well any more, so that nobody can rely on it; look at it,"
                                    + " then resume and approve anew, or roll back.";
                };
        return new Cause(reason.name(), sentence);
    }

    /** What holds it up now: one node that is not heard of, or that nobody judges. */
    private static String noHealthSentence(Rollout rollout, FleetView fleet) {
        if (!fleet.isLeaderView()) {
            return "Nothing was heard of how a node is, or of any; its history says of which. What"
                    + " is heard now is known to the coordinator that leads alone: ask that one,"
                    + " then resume, or roll back.";
        }
        if (!fleet.isEvaluatorAvailable()) {
            return "No health verdicts were to be had; look at the health-evaluator and at the way"
                    + " from it to the gateways, then resume, or roll back.";
        }
        return rollout.nodes().values().stream()
                .flatMap(node -> findNoDataSentence(rollout, node, fleet).stream())
                .findFirst()
                .orElse("No health verdicts were to be had; they are to be had again: resume it.");
    }

    /** What to say of a node whose health is waited for and of which there is no data. */
    private static Optional<String> findNoDataSentence(
            Rollout rollout, NodeUpgrade node, FleetView fleet) {
        boolean waited =
                switch (node.state()) {
                    case NodeState.Settling s -> true;
                    case NodeState.Restored r -> true;
                    case NodeState.Succeeded s ->
                            LateFailureRules.areEvaluated(rollout)
                                    && !(fleet.node(node.id()) instanceof NodeView.Absent);
                    default -> false;
                };
        HealthVerdict verdict =
                node.state() instanceof NodeState.Succeeded
                        ? TargetHealthConcerns.verdict(rollout.spec(), fleet, node, node.attempt())
                        : verdictOrNoData(node, fleet);
        return waited && verdict instanceof HealthVerdict.NoData noData
                ? Optional.of(NodeDeadlineEnforcer.noDataSentence(node.id(), noData))
                : Optional.empty();
    }

    private static String unhealthyTargetsSentence(Rollout rollout, FleetView fleet) {
        List<TargetHealthConcerns.Concern> unhealthy =
                UnhealthyBudget.findUnhealthyUnmodified(rollout, fleet);
        return unhealthy.isEmpty()
                ? "Targets were unhealthy, more than the unhealthy budget allows; resume it when they"
                        + " are healthy."
                : UnhealthyBudget.exceededCause(
                                        unhealthy, rollout.spec().conduct().unhealthyBudget())
                                .sentence()
                        + " To continue as it is, resume acknowledging "
                        + unhealthy.size()
                        + ".";
    }

    private static String firstFailureSentence(Rollout rollout) {
        return rollout.nodes().values().stream()
                .filter(node -> node.state().isFailure())
                .findFirst()
                .map(RolloutExplainer::nodeSentence)
                .orElse("a node failed.");
    }

    private static String nodeSentence(NodeUpgrade node) {
        return "node " + node.id() + ": " + nodeStateReason(node).sentence();
    }

    /** A cancellation may come when the last nodes are at work: then there was nothing to stop. */
    private static Cause cancelledReason(NodeCounters counters) {
        boolean allThere =
                counters.succeeded() > 0
                        && counters.succeeded() + counters.skipped() == counters.total();
        return new Cause(
                "CANCELLED",
                allThere
                        ? "It was cancelled when every target already had its work; all "
                                + counters.succeeded()
                                + " are proven at the target."
                        : "It was cancelled; at the target: "
                                + StateNameFormatter.formatNodeCount(counters.succeeded())
                                + ", not begun: "
                                + counters.pending()
                                + ".");
    }

    private static Cause failedReason(Rollout rollout, RolloutFailureReason reason) {
        return new Cause(
                reason.name(),
                switch (reason) {
                    case ROLLBACK_INCOMPLETE ->
                            "Nodes could not be proven at what they ran before: repair them, clear"
                                    + " those that are failed_rollback with 'drover node clear NAME"
                                    + " --reason TEXT', then roll back again.";
                    case NODES_FAILED -> "Nodes failed, and it had been told to go on regardless.";
                    case NEVER_STARTED -> "It was not started within 24 hours.";
                    case ALL_NODES_SKIPPED -> SkipSummary.of(rollout).allSkippedSentence();
                });
    }

    private static String cancellingSentence(int inFlight) {
        return inFlight == 0
                ? "No node is in flight: the rollout is cancelled in a moment."
                : "It waits for " + StateNameFormatter.formatNodeCount(inFlight) + " in flight.";
    }

    private static int inFlightCount(Rollout rollout) {
        return (int)
                rollout.nodes().values().stream().filter(node -> node.state().isInFlight()).count();
    }

    /** Why a node of this rollout is where it is. */
    public static Cause nodeReason(Rollout rollout, NodeUpgrade node, FleetView fleet) {
        boolean untouched =
                node.state() instanceof NodeState.Pending || node.state() instanceof NodeState.Held;
        if (rollout.state().isFinal() && untouched) {
            return new Cause("UNTOUCHED", "The rollout ended before its turn.");
        }
        boolean backBefore =
                rollout.state() instanceof RolloutState.RolledBack
                        && node.state() instanceof NodeState.Failed;
        return backBefore ? alreadyRestoredReason(node) : nodeReason(node, fleet);
    }

    /** Its failure is told as what it is by then: past, and taken back by its own agent. */
    private static Cause alreadyRestoredReason(NodeUpgrade node) {
        Cause failure = nodeStateReason(node);
        return new Cause(
                failure.code(),
                "It had failed and was back at what it ran before when the rollback began: "
                        + failure.sentence());
    }

    private static Cause nodeReason(NodeUpgrade node, FleetView fleet) {
        boolean judged =
                node.state() instanceof NodeState.Settling
                        || node.state() instanceof NodeState.Restored
                        || node.state() instanceof NodeState.Observed;
        return judged && fleet.isLeaderView() ? settlingReason(node, fleet) : nodeStateReason(node);
    }

    private static Cause settlingReason(NodeUpgrade node, FleetView fleet) {
        return switch (verdictOrNoData(node, fleet)) {
            case HealthVerdict.Healthy h ->
                    new Cause("OBSERVING", "Well; it is observed for longer.");
            case HealthVerdict.Settling(long attempt, String waitingOn) ->
                    new Cause("SETTLING", waitingOn);
            case HealthVerdict.NoData(long attempt, String why) -> new Cause("NO_DATA", why);
            case HealthVerdict.Unhealthy unhealthy ->
                    unhealthy.findings().isEmpty()
                            ? new Cause("UNHEALTHY", "Unwell.")
                            : unhealthy.findings().getFirst();
        };
    }

    private static HealthVerdict verdictOrNoData(NodeUpgrade node, FleetView fleet) {
        return fleet.verdict(node.id())
                .filter(v -> v.attempt() == node.attempt())
                .orElse(new HealthVerdict.NoData(node.attempt(), "No verdict yet."));
    }

    private static Cause pendingReason(NodeUpgrade node) {
        return node.isNotRollbackable()
                ? new Cause(
                        "NOT_ROLLBACKABLE",
                        "Its turn has not come. Once upgraded it could not be brought back: its"
                                + " agent keeps no backups; upgrade the agent, or leave it out.")
                : new Cause("PENDING", "Its turn has not come.");
    }

    private static Cause upgradingReason(NodeUpgrade node) {
        return switch (node.handover()) {
            case Handover.None none ->
                    new Cause("UPGRADING", "Its agent is at " + node.progress().action() + ".");
            case Handover.Ready ready ->
                    new Cause(
                            "HANDING_OVER",
                            "Its agent has started the new one, which is not heard yet; the old one"
                                    + " goes on until it is.");
            case Handover.SuccessorSeen seen ->
                    new Cause(
                            OldAgentStopRules.SUCCESSOR_SEEN,
                            "Its new agent is heard; the old one is told to stop.");
        };
    }

    /** Why a node is where it is, from its own record alone. */
    public static Cause nodeStateReason(NodeUpgrade node) {
        return switch (node.state()) {
            case NodeState.Pending p -> pendingReason(node);
            case NodeState.Held(String reason, var until, var since) ->
                    new Cause(
                            "HELD", "An operator holds it until " + until + ". Reason: " + reason);
            case NodeState.Assigned assigned ->
                    assigned.withdrawing()
                            ? new Cause("WITHDRAWING", "Its work is being withdrawn.")
                            : new Cause("ASSIGNED", "Its agent has not begun.");
            case NodeState.Upgrading u -> upgradingReason(node);
            case NodeState.Settling s ->
                    new Cause("SETTLING", "The target runs; health must hold.");
            case NodeState.Observed o -> new Cause("OBSERVING", "Well; it is observed for longer.");
            case NodeState.Succeeded s -> new Cause("SUCCEEDED", "Proven at the target.");
            case NodeState.Unhealthy unhealthy -> unhealthy.cause();
            case NodeState.Failed failed -> failed.cause();
            case NodeState.FailedRollback failed -> failed.cause();
            case NodeState.Unreachable unreachable -> unreachable.cause();
            case NodeState.Skipped skipped -> new Cause(skipped.reason().name(), skipped.detail());
            case NodeState.Restoring restoring -> restoring.cause();
            case NodeState.Restored r ->
                    new Cause("SETTLING", "What ran before is verified; health must hold.");
            case NodeState.RolledBack back ->
                    back.finding()
                            .orElse(new Cause("ROLLED_BACK", "Verified at what it ran before."));
        };
    }
}
