package drover.coordinator.plan.health;

import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.model.DurationPhrase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.step.StepDraft;
import drover.coordinator.plan.step.TargetHealthConcerns;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Health gate of a rollback (A23: a rollback waits for the health of each batch that it restored,
 * with a deadline and a declared action after it).
 */
public final class RestoredNodeHealthGate {
    private RestoredNodeHealthGate() {}

    public static void evaluate(StepDraft draft) {
        if (!(RolloutState.resumedState(draft.state()) instanceof RolloutState.RollingBack)) {
            return;
        }
        for (NodeUpgrade node : draft.nodes()) {
            switch (node.state()) {
                case NodeState.Restored restored -> evaluateRestored(draft, node, restored);
                case NodeState.RolledBack back when !back.runId().isEmpty() ->
                        evaluateRolledBack(draft, node, back);
                default -> {} // nothing of it was restored yet
            }
        }
        RollbackAcceptance.lowerAcceptedUnhealthy(draft);
    }

    private static void evaluateRestored(
            StepDraft draft, NodeUpgrade node, NodeState.Restored restored) {
        switch (verdict(draft, node, restored.attempt())) {
            case HealthVerdict.Healthy healthy ->
                    draft.moveNode(
                            node,
                            restored.completeRollback(draft.now),
                            new Cause(
                                    "ROLLED_BACK",
                                    "What ran before is verified, and healthy for "
                                            + DurationPhrase.of(draft.spec.healthWait())
                                            + "."));
            case HealthVerdict.Unhealthy unhealthy -> {
                Cause cause = unhealthyCause(unhealthy);
                draft.moveNode(node, restored.completeUnhealthy(cause, draft.now), cause);
            }
            case HealthVerdict.Settling settling -> enforceHealthDeadline(draft, node, restored);
            case HealthVerdict.NoData noData -> enforceHealthDeadline(draft, node, restored);
        }
    }

    private static void enforceHealthDeadline(
            StepDraft draft, NodeUpgrade node, NodeState.Restored restored) {
        findOverdueCause(draft, node, restoredSettling(restored))
                .ifPresent(
                        cause ->
                                draft.moveNode(
                                        node, restored.completeUnhealthy(cause, draft.now), cause));
    }

    /**
     * Why a restored node counts as not healthy although no criterion is broken: its health
     * deadline has passed. Pauses the rollback instead where no health-evaluator is connected.
     */
    private static Optional<Cause> findOverdueCause(
            StepDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        if (!draft.canJudgeDeadlines()
                || !draft.isPast(HealthDeadline.deadline(draft, node, settling))) {
            return Optional.empty();
        }
        if (!draft.fleet.isEvaluatorAvailable() && waitsForHealth(draft.state())) {
            pauseWithoutEvaluator(draft, node);
            return Optional.empty();
        }
        return switch (verdict(draft, node, settling.attempt())) {
            case HealthVerdict.NoData noData ->
                    Optional.of(
                            new Cause(
                                    NodeState.RolledBack.NO_DATA,
                                    "What ran before is verified, but there was no health data by"
                                            + " the deadline: "
                                            + noData.why()));
            case HealthVerdict.Settling waiting ->
                    Optional.of(
                            new Cause(
                                    IncidentRules.STALLED,
                                    "What ran before is verified, but it is not healthy by the"
                                            + " deadline: "
                                            + waiting.waitingOn()));
            case HealthVerdict.Healthy healthy -> Optional.empty(); // decided before
            case HealthVerdict.Unhealthy unhealthy -> Optional.empty(); // decided before
        };
    }

    private static void pauseWithoutEvaluator(StepDraft draft, NodeUpgrade node) {
        if (draft.state() instanceof RolloutState.RollingBack rollingBack) {
            Cause because =
                    new Cause(
                            PauseReason.HEALTH_UNAVAILABLE.name(),
                            "No health-evaluator is connected, so the health of restored nodes is"
                                    + " not known.");
            draft.openStalledIncident(node.id(), because);
            draft.moveRollout(
                    rollingBack.pause(PauseReason.HEALTH_UNAVAILABLE, draft.now), because);
        }
    }

    /** A restored node counts as unhealthy, and as healthy, by its latest verdict. */
    private static void evaluateRolledBack(
            StepDraft draft, NodeUpgrade node, NodeState.RolledBack back) {
        HealthVerdict verdict = verdict(draft, node, back.attempt());
        if (verdict instanceof HealthVerdict.Healthy && back.finding().isPresent()) {
            draft.putNodeWithCause(
                    node.withState(back.recover()),
                    new Cause("RECOVERED", "Healthy again for the whole health wait."));
        } else if (verdict instanceof HealthVerdict.Unhealthy unhealthy
                && back.finding().filter(NodeState.RolledBack::isUnhealthy).isEmpty()) {
            becomeUnhealthy(draft, node, back, unhealthyCause(unhealthy));
        } else if (draft.state() instanceof RolloutState.RollingBack rollingBack
                && isHealthAwaited(draft.spec, draft.fleet, node)) {
            findOverdueCause(draft, node, rolledBackSettling(draft, node, back, rollingBack))
                    .ifPresent(cause -> becomeUnhealthy(draft, node, back, cause));
        }
    }

    private static void becomeUnhealthy(
            StepDraft draft, NodeUpgrade node, NodeState.RolledBack back, Cause cause) {
        draft.putNodeWithCause(node.withState(back.becomeUnhealthy(cause)), cause);
    }

    private static Cause unhealthyCause(HealthVerdict.Unhealthy unhealthy) {
        return new Cause(
                PauseReason.RESTORED_UNHEALTHY.name(),
                "What ran before is verified, but it is unhealthy: "
                        + unhealthy.cause().sentence());
    }

    /**
     * Another rollout may make a later attempt on a node that is rolled back; then the report of
     * its gateway decides.
     */
    private static HealthVerdict verdict(StepDraft draft, NodeUpgrade node, long attempt) {
        return node.state() instanceof NodeState.Restored
                ? HealthGate.verdict(draft, node, attempt)
                : TargetHealthConcerns.verdict(draft.spec, draft.fleet, node, attempt);
    }

    /**
     * Whether the health of a node that is rolled back is not known at present, and no deadline has
     * decided about it: it went offline or settles again after its gate, or the rollback did not
     * wait for it.
     */
    public static boolean isHealthAwaited(RolloutSpec spec, FleetView fleet, NodeUpgrade node) {
        return node.state() instanceof NodeState.RolledBack back
                && !back.runId().isEmpty()
                && back.finding().isEmpty()
                && !(TargetHealthConcerns.verdict(spec, fleet, node, back.attempt())
                        instanceof HealthVerdict.Healthy);
    }

    private static NodeState.Settling restoredSettling(NodeState.Restored restored) {
        return new NodeState.Settling(restored.attempt(), restored.runId(), restored.since());
    }

    /** A node that was healthy has its time again from when it was not, or from a resume. */
    private static NodeState.Settling rolledBackSettling(
            StepDraft draft,
            NodeUpgrade node,
            NodeState.RolledBack back,
            RolloutState.RollingBack rollingBack) {
        return new NodeState.Settling(
                back.attempt(), back.runId(), notHealthySince(draft, node, back, rollingBack));
    }

    static Instant notHealthySince(
            StepDraft draft,
            NodeUpgrade node,
            NodeState.RolledBack back,
            RolloutState.RollingBack rollingBack) {
        return Stream.of(
                        Optional.of(back.since()),
                        Optional.of(rollingBack.since()),
                        Optional.ofNullable(draft.fleet.notHealthySince(node.id())))
                .flatMap(Optional::stream)
                .max(Instant::compareTo)
                .orElse(back.since());
    }

    /** When the rollback decides something about restored nodes although nothing happens. */
    public static Stream<Instant> healthDeadlines(StepDraft draft) {
        Stream<Instant> restored =
                draft.nodes().stream()
                        .filter(node -> node.state() instanceof NodeState.Restored)
                        .map(
                                node ->
                                        HealthDeadline.deadline(
                                                draft,
                                                node,
                                                restoredSettling(
                                                        (NodeState.Restored) node.state())));
        if (!(draft.state() instanceof RolloutState.RollingBack rollingBack)) {
            return restored;
        }
        Stream<Instant> awaited =
                draft.nodes().stream()
                        .filter(node -> isHealthAwaited(draft.spec, draft.fleet, node))
                        .map(
                                node ->
                                        HealthDeadline.deadline(
                                                draft,
                                                node,
                                                rolledBackSettling(
                                                        draft,
                                                        node,
                                                        (NodeState.RolledBack) node.state(),
                                                        rollingBack)));
        return Stream.of(
                        restored,
                        awaited,
                        RollbackAcceptance.findPauseTime(draft, rollingBack).stream())
                .flatMap(times -> times);
    }

    /** Whether the rollback may restore further nodes. */
    public static boolean admitsRestores(StepDraft draft, RolloutState.RollingBack rollingBack) {
        return rollingBack.health() == RollbackHealthPolicy.IGNORE
                || (RollbackAcceptance.countUnaccepted(draft, rollingBack) <= 0
                        && !isAnyHealthAwaited(draft));
    }

    /**
     * Whether the rollback may end: the health of every restored node is decided, and an operator
     * accepted those that are not healthy. With {@link RollbackHealthPolicy#IGNORE} nothing has to
     * be accepted; the verdicts are awaited so that an unhealthy node has its incident.
     */
    public static boolean admitsEnd(StepDraft draft, RolloutState.RollingBack rollingBack) {
        return !isAnyHealthAwaited(draft)
                && (rollingBack.health() == RollbackHealthPolicy.IGNORE
                        || draft.nodes().stream()
                                .noneMatch(RollbackAcceptance::isRestoredAndUnhealthy)
                        || RollbackAcceptance.countUnaccepted(draft, rollingBack) <= 0);
    }

    private static boolean isAnyHealthAwaited(StepDraft draft) {
        return draft.nodes().stream()
                .anyMatch(node -> isHealthAwaited(draft.spec, draft.fleet, node));
    }

    /** Whether restored nodes must be healthy before further ones are restored. */
    public static boolean waitsForHealth(RolloutState state) {
        return RolloutState.resumedState(state) instanceof RolloutState.RollingBack rollingBack
                && rollingBack.health() != RollbackHealthPolicy.IGNORE;
    }
}
