package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.DurationPhrase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.step.StepDraft;
import drover.coordinator.plan.step.TargetHealthConcerns;
import drover.coordinator.plan.step.TargetHealthConcerns.Concern;
import drover.coordinator.plan.step.TargetHealthConcerns.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Gate before a rollout modifies further nodes or completes: the nodes that it modified must be
 * healthy (A22), and the other targets within the unhealthy budget (A24). Offline nodes, and other
 * targets without health data, must be within the offline budget (A7). It waits for a target that
 * may recover, and pauses the rollout at a deadline. Missing data fails no node (R3).
 */
public final class AllTargetsHealthGate {
    private AllTargetsHealthGate() {}

    /** Whether nodes may be given work now; pauses the rollout if a deadline has passed. */
    static boolean mayDispatchOrPause(StepDraft draft, RolloutState.Running running) {
        TargetHealthConcerns others =
                draft.targetHealthConcerns().without(node -> isRetriedNow(draft, node));
        return mayDispatchWithUndecidedOrPause(draft, running, others)
                && mayContinueOrPause(
                        draft,
                        running,
                        others,
                        OfflineBudgetUsageCounter.findOfflineOrWithoutData(others, draft.now));
    }

    /**
     * Pending nodes that may be given work now. The health of a node that is tried again does not
     * prevent its own attempt, but that of other nodes.
     */
    static Predicate<NodeUpgrade> findDispatchable(StepDraft draft, RolloutState.Running running) {
        TargetHealthConcerns health = draft.targetHealthConcerns();
        List<Concern> offline =
                OfflineBudgetUsageCounter.findOfflineOrWithoutData(health, draft.now);
        boolean all =
                isWithinUnhealthyBudget(draft, running, health)
                        && (draft.rollout().ignoresFailures()
                                || offlineBeyondBudget(draft.rollout(), offline).isEmpty());
        return node -> all || isRetriedNow(draft, node);
    }

    private static boolean isRetriedNow(StepDraft draft, NodeUpgrade node) {
        return node.attempts() > 0
                && node.state() instanceof NodeState.Pending
                && node.batch() == draft.rollout().currentBatch()
                && draft.fleet.node(node.id()) instanceof NodeView.Present;
    }

    /** Whether the rollout may complete; pauses it if a deadline has passed. */
    static boolean mayCompleteOrPause(StepDraft draft, RolloutState.Running running) {
        TargetHealthConcerns health = draft.targetHealthConcerns();
        return mayContinueOrPause(draft, running, health, health.concernsOfKinds(Kind.OFFLINE))
                && draft.isPast(observationEnd(draft));
    }

    /** Which targets the rollout waits for now; empty when it waits for none. */
    public static Optional<Cause> findWaitCause(
            Rollout rollout, RolloutState.Running running, FleetView fleet) {
        boolean dispatches =
                rollout.nodesInBatch(rollout.currentBatch())
                        .anyMatch(node -> node.state() instanceof NodeState.Pending);
        boolean completes =
                rollout.areAllBatchesPromoted()
                        && rollout.nodes().values().stream()
                                .noneMatch(node -> node.state().isInFlight());
        if (!dispatches && !completes) {
            return Optional.empty();
        }
        TargetHealthConcerns health = TargetHealthConcerns.of(rollout, fleet);
        List<Concern> unhealthy = health.concernsOfKinds(Kind.UNHEALTHY);
        List<Concern> modified =
                new ArrayList<>(health.concernsOfKinds(Kind.RECOVERING, Kind.NO_DATA));
        List<Concern> offline =
                completes
                        ? health.concernsOfKinds(Kind.OFFLINE)
                        : OfflineBudgetUsageCounter.findOfflineOrWithoutData(health, Instant.MAX);
        modified.addAll(offlineBeyondBudget(rollout, offline));
        if (!completes && unhealthy.size() > effectiveUnhealthyBudget(rollout.spec(), running)) {
            return Optional.of(toWaitCause("No further node is upgraded", unhealthy));
        }
        if (!modified.isEmpty() && !rollout.ignoresFailures()) {
            return Optional.of(
                    toWaitCause("The rollout waits until its nodes are healthy", modified));
        }
        return completes
                ? Optional.of(
                        new Cause(
                                "OBSERVING",
                                "Every node has succeeded; the last ones are observed for "
                                        + DurationPhrase.of(rollout.spec().observationDuration())
                                        + "."))
                : Optional.empty();
    }

    private static Cause toWaitCause(String what, List<Concern> concerns) {
        return new Cause(
                "WAITING_FOR_HEALTH", what + ": " + UnhealthyBudget.describeConcerns(concerns));
    }

    /**
     * When the last nodes have been observed for as long as a canary: earlier ones were observed
     * while later batches were upgraded. In the past where nothing has to be observed.
     */
    static Instant observationEnd(StepDraft draft) {
        if (draft.spec.strategy().skipsValidation()) {
            return Instant.MIN;
        }
        return draft.nodes().stream()
                .filter(node -> node.state() instanceof NodeState.Succeeded)
                .filter(node -> !draft.batches().get(node.batch()).canary())
                .map(node -> node.state().since())
                .max(Instant::compareTo)
                .map(last -> last.plus(draft.spec.observationDuration()))
                .orElse(Instant.MIN);
    }

    /** A24: the other targets that are unhealthy stay within the budget. */
    private static boolean mayDispatchWithUndecidedOrPause(
            StepDraft draft, RolloutState.Running running, TargetHealthConcerns health) {
        List<Concern> unhealthy = health.concernsOfKinds(Kind.UNHEALTHY);
        int budget = effectiveUnhealthyBudget(draft.spec, running);
        if (unhealthy.size() > budget
                && draft.isPast(pauseDeadline(draft, unhealthy.get(budget)))) {
            Cause cause =
                    UnhealthyBudget.exceededCause(
                            unhealthy, draft.spec.conduct().unhealthyBudget());
            unhealthy.forEach(concern -> draft.openUnhealthyIncident(concern.node().id(), cause));
            pause(draft, running, PauseReason.TARGETS_UNHEALTHY, cause);
        }
        return isWithinUnhealthyBudget(draft, running, health);
    }

    /** A target whose first heartbeat is awaited may turn out to be unhealthy. */
    private static boolean isWithinUnhealthyBudget(
            StepDraft draft, RolloutState.Running running, TargetHealthConcerns health) {
        long awaited =
                health.concernsOfKinds(Kind.UNDETERMINED).stream()
                        .filter(concern -> !draft.isPast(concern.firstHeartbeatDeadline()))
                        .count();
        return health.concernsOfKinds(Kind.UNHEALTHY).size() + awaited
                <= effectiveUnhealthyBudget(draft.spec, running);
    }

    /**
     * An operator accepted the targets that were unhealthy then. Once one of them is healthy, the
     * next one that becomes unhealthy is not covered (A24).
     */
    public static RolloutState.Running lowerAcceptedUnhealthy(
            StepDraft draft, RolloutState.Running running) {
        if (running.acceptedUnhealthy() == 0 || !draft.canJudgeDeadlines()) {
            return running; // without fleet visibility, a missing report is no recovery (R3)
        }
        int unhealthy = draft.targetHealthConcerns().concernsOfKinds(Kind.UNHEALTHY).size();
        if (unhealthy >= running.acceptedUnhealthy()) {
            return running;
        }
        RolloutState.Running lowered = running.acceptUnhealthy(unhealthy);
        draft.putState(lowered);
        return lowered;
    }

    static int effectiveUnhealthyBudget(RolloutSpec spec, RolloutState.Running running) {
        return Math.max(spec.conduct().unhealthyBudget(), running.acceptedUnhealthy());
    }

    /**
     * A22: every modified node is verified healthy, or failed and decided by the threshold. A7:
     * offline nodes and those without data stay within the offline budget.
     */
    private static boolean mayContinueOrPause(
            StepDraft draft,
            RolloutState.Running running,
            TargetHealthConcerns health,
            List<Concern> offlineOrWithoutData) {
        if (draft.rollout().ignoresFailures()) {
            return true;
        }
        List<Concern> offline = offlineBeyondBudget(draft.rollout(), offlineOrWithoutData);
        if (offline.isEmpty() && health.concernsOfKinds(Kind.RECOVERING, Kind.NO_DATA).isEmpty()) {
            return true;
        }
        pauseIfDeadlinePassed(draft, running, health, offline);
        return false;
    }

    /** The offline budget covers nodes that went offline after they had succeeded, too. */
    private static List<Concern> offlineBeyondBudget(Rollout rollout, List<Concern> offline) {
        if (offline.isEmpty()) {
            return offline;
        }
        long budget = (long) rollout.spec().offlineBudget() + rollout.acceptedOffline();
        long covered =
                Math.max(
                        0,
                        budget
                                - OfflineBudgetUsageCounter.countOfflineSkipsAndUnreachable(
                                        rollout));
        return offline.stream().skip(covered).toList();
    }

    private static void pauseIfDeadlinePassed(
            StepDraft draft,
            RolloutState.Running running,
            TargetHealthConcerns health,
            List<Concern> offline) {
        if (!draft.canJudgeDeadlines()) {
            return;
        }
        Optional<Concern> noData =
                health.concernsOfKinds(Kind.NO_DATA).stream()
                        .filter(concern -> draft.isPast(pauseDeadline(draft, concern)))
                        .findFirst();
        Optional<Concern> removed =
                offline.stream().filter(c -> draft.isPast(pauseDeadline(draft, c))).findFirst();
        if (noData.isPresent()) {
            Cause cause = noDataCause(noData.get());
            draft.openStalledIncident(noData.get().node().id(), cause);
            pause(draft, running, PauseReason.HEALTH_UNAVAILABLE, cause);
        } else if (removed.isPresent()) {
            Cause cause = offlineCause(offline);
            draft.openStalledIncident(removed.get().node().id(), cause);
            pause(draft, running, PauseReason.NODES_OFFLINE, cause);
        }
    }

    private static Cause noDataCause(Concern concern) {
        return new Cause(
                PauseReason.HEALTH_UNAVAILABLE.name(),
                "There is no health data of node "
                        + concern.node().id()
                        + ", which succeeded: "
                        + concern.why()
                        + " Check the connection from the health-evaluator to its gateway, then"
                        + " resume, or roll back.");
    }

    private static Cause offlineCause(List<Concern> offline) {
        return new Cause(
                PauseReason.NODES_OFFLINE.name(),
                "The offline budget is exceeded by "
                        + StateNameFormatter.formatNodeCount(offline.size())
                        + " offline or without health data: "
                        + UnhealthyBudget.describeConcerns(offline)
                        + " Reconnect or repair them, or resume to accept it.");
    }

    private static void pause(
            StepDraft draft, RolloutState.Running running, PauseReason reason, Cause cause) {
        draft.moveRollout(running.pause(reason, draft.now), cause);
        draft.withdrawAssigned();
    }

    /** When a rollout pauses because of one target, unless the target recovers before. */
    private static Instant pauseDeadline(StepDraft draft, Concern concern) {
        if (concern.since().equals(Instant.MAX)) {
            return Instant.MAX; // no gateway has answered for it
        }
        Instant start = later(draft.state().since(), concern.since());
        return switch (concern.kind()) {
            case UNHEALTHY, RECOVERING -> start.plus(draft.spec.healthTimeout());
            case OFFLINE, UNDETERMINED -> start.plus(draft.spec.noDataTimeout());
            case NO_DATA -> noDataDeadline(draft, start);
        };
    }

    private static Instant noDataDeadline(StepDraft draft, Instant start) {
        Instant evaluators =
                draft.fleet.isEvaluatorAvailable()
                        ? draft.fleet.evaluatorConnectedSince()
                        : draft.fleet.evaluatorUnavailableSince();
        return later(start, evaluators).plus(draft.spec.noDataTimeout());
    }

    private static Instant later(Instant one, @Nullable Instant other) {
        return other != null && other.isAfter(one) ? other : one;
    }

    /** When the gate may decide otherwise although nothing happens. */
    public static Stream<Instant> wakeupTimes(StepDraft draft) {
        if (!(draft.state() instanceof RolloutState.Running)) {
            return Stream.of();
        }
        Stream<Instant> concerns =
                draft.targetHealthConcerns().concerns().stream()
                        .flatMap(concern -> decisionTimes(draft, concern));
        return draft.rollout().areAllBatchesPromoted()
                ? Stream.concat(concerns, Stream.of(observationEnd(draft)))
                : concerns;
    }

    private static Stream<Instant> decisionTimes(StepDraft draft, Concern concern) {
        Instant pause = pauseDeadline(draft, concern);
        return concern.kind() == Kind.UNDETERMINED
                ? Stream.of(concern.firstHeartbeatDeadline(), pause)
                : Stream.of(pause);
    }
}
