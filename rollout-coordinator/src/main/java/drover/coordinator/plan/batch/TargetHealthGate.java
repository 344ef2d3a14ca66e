package drover.coordinator.plan.batch;

import drover.coordinator.plan.model.DurationPhrase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.step.StepDraft;
import drover.coordinator.plan.step.TargetHealthConcerns;
import drover.coordinator.plan.step.TargetHealthConcerns.Concern;
import drover.coordinator.plan.step.TargetHealthConcerns.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Gate before a rollout modifies further nodes or completes: the nodes that it modified must be
 * healthy (A22), and the other targets within the unhealthy budget (A24). It waits for a target
 * that may recover, and pauses the rollout at a deadline. Missing data fails no node (R3).
 */
public final class TargetHealthGate {
    /** A connected agent sends its first heartbeat within two idle intervals of 30 s. */
    static final Duration FIRST_HEARTBEAT = Duration.ofSeconds(60);

    private TargetHealthGate() {}

    /** Whether nodes may be given work now; pauses the rollout if a deadline has passed. */
    static boolean mayDispatchOrPause(StepDraft draft, RolloutState.Running running) {
        TargetHealthConcerns health = draft.targetHealthConcerns();
        return mayDispatchWithUnmodifiedOrPause(draft, running, health)
                && mayDispatchWithModifiedOrPause(draft, running, health);
    }

    /** Whether the rollout may complete; pauses it if a deadline has passed. */
    static boolean mayCompleteOrPause(StepDraft draft, RolloutState.Running running) {
        TargetHealthConcerns health = draft.targetHealthConcerns();
        return mayDispatchWithModifiedOrPause(draft, running, health)
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
        modified.addAll(offlineBeyondBudget(rollout, health.concernsOfKinds(Kind.OFFLINE)));
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

    /** A24: the unmodified targets that are unhealthy stay within the budget. */
    private static boolean mayDispatchWithUnmodifiedOrPause(
            StepDraft draft, RolloutState.Running running, TargetHealthConcerns health) {
        List<Concern> unhealthy = health.concernsOfKinds(Kind.UNHEALTHY);
        long undetermined =
                health.concernsOfKinds(Kind.UNDETERMINED).stream()
                        .filter(concern -> isFirstHeartbeatAwaited(draft, concern))
                        .count();
        int budget = effectiveUnhealthyBudget(draft.spec, running);
        if (unhealthy.size() > budget
                && draft.isPast(pauseDeadline(draft, unhealthy.get(budget)))) {
            Cause cause =
                    UnhealthyBudget.exceededCause(
                            unhealthy, draft.spec.conduct().unhealthyBudget());
            unhealthy.forEach(concern -> draft.openUnhealthyIncident(concern.node().id(), cause));
            pause(draft, running, PauseReason.TARGETS_UNHEALTHY, cause);
        }
        return unhealthy.size() + undetermined <= budget;
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

    private static boolean isFirstHeartbeatAwaited(StepDraft draft, Concern concern) {
        return concern.since().equals(Instant.MAX)
                || !draft.isPast(concern.since().plus(FIRST_HEARTBEAT));
    }

    /** A22: every modified node is verified healthy, or failed and decided by the threshold. */
    private static boolean mayDispatchWithModifiedOrPause(
            StepDraft draft, RolloutState.Running running, TargetHealthConcerns health) {
        if (draft.rollout().ignoresFailures()) {
            return true;
        }
        List<Concern> offline =
                offlineBeyondBudget(draft.rollout(), health.concernsOfKinds(Kind.OFFLINE));
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
                Math.max(0, budget - OfflineBudgetUsage.countOfflineSkipsAndUnreachable(rollout));
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
            Cause cause = wentOfflineCause(offline);
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

    private static Cause wentOfflineCause(List<Concern> offline) {
        return new Cause(
                PauseReason.NODES_OFFLINE.name(),
                StateNameFormatter.formatNodeCount(offline.size())
                        + " went offline after they had succeeded, more than the offline budget"
                        + " allows, first "
                        + offline.getFirst().node().id()
                        + ": reconnect them, or resume to accept it.");
    }

    private static void pause(
            StepDraft draft, RolloutState.Running running, PauseReason reason, Cause cause) {
        draft.moveRollout(running.pause(reason, draft.now), cause);
        draft.withdrawAssigned();
    }

    /** When a rollout pauses because of one target, unless the target recovers before. */
    private static Instant pauseDeadline(StepDraft draft, Concern concern) {
        Instant start = later(draft.state().since(), concern.since());
        return switch (concern.kind()) {
            case UNHEALTHY, RECOVERING -> start.plus(draft.spec.healthTimeout());
            case OFFLINE -> start.plus(draft.spec.noDataTimeout());
            case NO_DATA -> noDataDeadline(draft, start);
            case UNDETERMINED -> Instant.MAX;
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
                        .map(
                                concern ->
                                        concern.kind() == Kind.UNDETERMINED
                                                ? firstHeartbeatDeadline(concern)
                                                : pauseDeadline(draft, concern));
        return draft.rollout().areAllBatchesPromoted()
                ? Stream.concat(concerns, Stream.of(observationEnd(draft)))
                : concerns;
    }

    private static Instant firstHeartbeatDeadline(Concern concern) {
        return concern.since().equals(Instant.MAX)
                ? Instant.MAX
                : concern.since().plus(FIRST_HEARTBEAT);
    }
}
