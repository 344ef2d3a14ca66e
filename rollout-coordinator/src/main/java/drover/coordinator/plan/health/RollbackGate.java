package drover.coordinator.plan.health;

import drover.coordinator.plan.model.DurationPhrase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.step.StepDraft;
import java.time.Instant;
import java.util.stream.Stream;

/**
 * Health gate of a rollback (A23: a rollback waits for the health of each batch that it restored,
 * with a deadline and a declared action after it).
 */
public final class RollbackGate {
    private RollbackGate() {}

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
        lowerAcceptedUnhealthy(draft);
    }

    /**
     * An operator accepted the nodes that were unhealthy then. Once one of them is healthy, the
     * next one that becomes unhealthy is not covered (A23).
     */
    private static void lowerAcceptedUnhealthy(StepDraft draft) {
        if (!(RolloutState.resumedState(draft.state()) instanceof RolloutState.RollingBack back)) {
            return;
        }
        int unhealthy =
                countLeftUnhealthyOrUnverified(draft.rollout())
                        - countCleared(draft)
                        + countClearedAfterAcceptance(draft, back);
        if (unhealthy < back.acceptedUnhealthy()) {
            RolloutState.RollingBack lowered = back.acceptUnhealthy(unhealthy);
            draft.putState(
                    draft.state() instanceof RolloutState.Paused paused
                            ? paused.withRollback(lowered)
                            : lowered);
        }
    }

    private static void evaluateRestored(
            StepDraft draft, NodeUpgrade node, NodeState.Restored restored) {
        switch (HealthGate.verdict(draft, node, restored.attempt())) {
            case HealthVerdict.Healthy healthy ->
                    draft.moveNode(
                            node,
                            restored.completeRollback(draft.now),
                            new Cause(
                                    "ROLLED_BACK",
                                    "What ran before is verified, and healthy for "
                                            + DurationPhrase.of(draft.spec.healthWait())
                                            + "."));
            case HealthVerdict.Unhealthy unhealthy ->
                    completeUnhealthy(draft, node, restored, unhealthy.cause().sentence());
            case HealthVerdict.Settling settling -> enforceHealthDeadline(draft, node, restored);
            case HealthVerdict.NoData noData -> enforceHealthDeadline(draft, node, restored);
        }
    }

    private static void enforceHealthDeadline(
            StepDraft draft, NodeUpgrade node, NodeState.Restored restored) {
        if (!draft.canJudgeDeadlines()
                || !draft.isPast(restoredHealthDeadline(draft, node, restored))) {
            return;
        }
        if (!draft.fleet.isEvaluatorAvailable()) {
            pauseWithoutEvaluator(draft, node);
            return;
        }
        switch (HealthGate.verdict(draft, node, restored.attempt())) {
            case HealthVerdict.NoData noData -> {
                Cause cause =
                        new Cause(
                                NodeState.RolledBack.NO_DATA,
                                "What ran before is verified, but there was no health data by the"
                                        + " deadline: "
                                        + noData.why());
                draft.moveNode(node, restored.completeUnhealthy(cause, draft.now), cause);
            }
            case HealthVerdict.Settling settling ->
                    completeUnhealthy(
                            draft,
                            node,
                            restored,
                            "Not healthy by the deadline: " + settling.waitingOn());
            case HealthVerdict.Healthy healthy -> {} // decided above
            case HealthVerdict.Unhealthy unhealthy -> {} // decided above
        }
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

    private static void completeUnhealthy(
            StepDraft draft, NodeUpgrade node, NodeState.Restored restored, String why) {
        Cause cause = unhealthyCause(why);
        draft.moveNode(node, restored.completeUnhealthy(cause, draft.now), cause);
    }

    /** A restored node counts as unhealthy, and as healthy, by its latest verdict. */
    private static void evaluateRolledBack(
            StepDraft draft, NodeUpgrade node, NodeState.RolledBack back) {
        HealthVerdict verdict = HealthGate.verdict(draft, node, back.attempt());
        if (verdict instanceof HealthVerdict.Healthy && back.finding().isPresent()) {
            draft.putNodeWithCause(
                    node.withState(back.recover()),
                    new Cause("RECOVERED", "Healthy again for the whole health wait."));
        } else if (verdict instanceof HealthVerdict.Unhealthy unhealthy
                && back.finding().filter(NodeState.RolledBack::isUnhealthy).isEmpty()) {
            Cause cause = unhealthyCause(unhealthy.cause().sentence());
            draft.putNodeWithCause(node.withState(back.becomeUnhealthy(cause)), cause);
        }
    }

    private static Cause unhealthyCause(String why) {
        return new Cause(
                PauseReason.RESTORED_UNHEALTHY.name(),
                "What ran before is verified, but it is unhealthy: " + why);
    }

    /** When a restored node is not waited for any longer. */
    static Instant restoredHealthDeadline(
            StepDraft draft, NodeUpgrade node, NodeState.Restored restored) {
        return HealthDeadline.deadline(
                draft,
                node,
                new NodeState.Settling(restored.attempt(), restored.runId(), restored.since()));
    }

    /** When restored nodes are not waited for any longer. */
    public static Stream<Instant> restoredHealthDeadlines(StepDraft draft) {
        return draft.nodes().stream()
                .filter(node -> node.state() instanceof NodeState.Restored)
                .map(
                        node ->
                                restoredHealthDeadline(
                                        draft, node, (NodeState.Restored) node.state()));
    }

    /**
     * Nodes that the rollback has left unhealthy, or not verified: restored and not healthy, not
     * restored although it was tried, or without an answer in the middle of it.
     */
    public static int countLeftUnhealthyOrUnverified(Rollout rollout) {
        return (int)
                rollout.nodes().values().stream()
                        .filter(RollbackGate::isLeftUnhealthyOrUnverified)
                        .count();
    }

    public static boolean isLeftUnhealthyOrUnverified(NodeUpgrade node) {
        return switch (node.state()) {
            case NodeState.RolledBack back -> back.finding().isPresent();
            case NodeState.FailedRollback failed -> hasFailedRestore(node, failed);
            case NodeState.Unreachable lost -> lost.restoreOf() != 0;
            default -> false; // nothing was restored, or it is healthy
        };
    }

    /** The compensation of an upgrade that failed is no restore: no rollback modified the node. */
    private static boolean hasFailedRestore(NodeUpgrade node, NodeState.FailedRollback failed) {
        return node.installedBy() != 0 && node.installedBy() != failed.attempt();
    }

    /** Whether the rollback may restore further nodes. */
    public static boolean admitsRestores(StepDraft draft, RolloutState.RollingBack rollingBack) {
        int unaccepted = countUnaccepted(draft, rollingBack);
        return switch (rollingBack.health()) {
            case WAIT -> unaccepted < draft.maxRestoring();
            case ASK -> unaccepted <= 0;
            case IGNORE -> true;
        };
    }

    /**
     * Nodes left unhealthy or not verified, beyond those that an operator accepted. A node that was
     * cleared is not left: the rollback restores it again, and the acceptance that it had covers no
     * other node.
     */
    public static int countUnaccepted(StepDraft draft, RolloutState.RollingBack rollingBack) {
        int left = countLeftUnhealthyOrUnverified(draft.rollout()) - countCleared(draft);
        int cleared = countClearedAfterAcceptance(draft, rollingBack);
        return left - Math.max(0, rollingBack.acceptedUnhealthy() - cleared);
    }

    private static int countCleared(StepDraft draft) {
        return (int)
                draft.nodes().stream()
                        .filter(RollbackGate::isLeftUnhealthyOrUnverified)
                        .filter(node -> isCleared(draft, node))
                        .count();
    }

    private static int countClearedAfterAcceptance(
            StepDraft draft, RolloutState.RollingBack rollingBack) {
        return (int)
                draft.nodes().stream()
                        .filter(node -> isCleared(draft, node))
                        .filter(node -> wasAccepted(node, rollingBack))
                        .count();
    }

    /** Whether its restore had failed when an operator resumed the rollback. */
    private static boolean wasAccepted(NodeUpgrade node, RolloutState.RollingBack rollingBack) {
        return isLeftUnhealthyOrUnverified(node)
                && node.state() instanceof NodeState.FailedRollback failed
                && !failed.since().isAfter(rollingBack.since());
    }

    /**
     * Whether an operator cleared the node after its restore, or the compensation of its upgrade,
     * had failed (D14). In the step that receives the failure the node is neither marked nor
     * cleared.
     */
    public static boolean isCleared(StepDraft draft, NodeUpgrade node) {
        FleetView.NodeReservation reservation = draft.fleet.reservation(node.id());
        return node.state() instanceof NodeState.FailedRollback failed
                && node.installedBy() != 0
                && !draft.hasChangedState(node)
                && !reservation.failedRollback()
                && reservation.lastAttempt() > failed.attempt();
    }

    /** Ends the acceptance of a cleared node, because it is restored again. */
    public static void endAcceptance(StepDraft draft, NodeUpgrade cleared) {
        if (draft.state() instanceof RolloutState.RollingBack back
                && back.acceptedUnhealthy() > 0
                && wasAccepted(cleared, back)) {
            draft.putState(back.acceptUnhealthy(back.acceptedUnhealthy() - 1));
        }
    }

    /** Whether restored nodes must be healthy before further ones are restored. */
    public static boolean waitsForHealth(RolloutState state) {
        return RolloutState.resumedState(state) instanceof RolloutState.RollingBack rollingBack
                && rollingBack.health() != RollbackHealthPolicy.IGNORE;
    }
}
