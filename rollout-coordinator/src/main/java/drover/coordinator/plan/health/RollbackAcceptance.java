package drover.coordinator.plan.health;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.step.StepDraft;
import java.time.Instant;
import java.util.Optional;

/**
 * Nodes that a rollback left unhealthy or not verified, and how many of them an operator accepted
 * by resuming (A23). Nodes that the rollback did not modify do not count.
 */
public final class RollbackAcceptance {
    private RollbackAcceptance() {}

    /**
     * Nodes that the rollback has left unhealthy, or not verified: restored and not healthy, not
     * restored although it was tried, or without an answer in the middle of it.
     */
    public static int countLeftUnhealthyOrUnverified(Rollout rollout) {
        return (int)
                rollout.nodes().values().stream()
                        .filter(RollbackAcceptance::isLeftUnhealthyOrUnverified)
                        .count();
    }

    /**
     * Whether the rollback left the node unhealthy or not verified. A restore that a health gate of
     * the upgrade made is no part of the rollback.
     */
    public static boolean isLeftUnhealthyOrUnverified(NodeUpgrade node) {
        return switch (node.state()) {
            case NodeState.RolledBack back -> back.finding().isPresent();
            case NodeState.FailedRollback failed ->
                    node.installedBy() != 0
                            && failed.restore() == NodeState.RestorePurpose.ROLLBACK;
            case NodeState.Unreachable lost -> lost.restore() == NodeState.RestorePurpose.ROLLBACK;
            default -> false; // nothing was restored, or it is healthy
        };
    }

    /** Whether what ran before is verified, and not healthy. */
    public static boolean isRestoredAndUnhealthy(NodeUpgrade node) {
        return node.state() instanceof NodeState.RolledBack back && back.finding().isPresent();
    }

    /** Sentence of a rollback that is paused because of such nodes. */
    public static String describeLeft(Rollout rollout) {
        int left = countLeftUnhealthyOrUnverified(rollout);
        boolean one = left == 1;
        return StateNameFormatter.formatNodeCount(left)
                + " that the rollback restored, or tried to restore, "
                + (one ? "is" : "are")
                + " not verified healthy. Repair "
                + (one ? "it" : "them")
                + " (a node that is cleared is restored again) and resume, or resume acknowledging "
                + left
                + ".";
    }

    /**
     * Nodes left unhealthy or not verified, beyond those that an operator accepted. A node that was
     * cleared is not left: the rollback restores it again, and the acceptance that it had covers no
     * other node.
     */
    public static int countUnaccepted(StepDraft draft, RolloutState.RollingBack rollingBack) {
        int left = countLeftUnhealthyOrUnverified(draft.rollout()) - countCleared(draft);
        return left - countAccepted(draft, rollingBack);
    }

    /**
     * When the rollback pauses because of nodes that it left unhealthy or not verified and that no
     * operator accepted; empty when there are none, or it ignores health.
     */
    public static Optional<Instant> findPauseTime(
            StepDraft draft, RolloutState.RollingBack rollingBack) {
        if (rollingBack.health() == RollbackHealthPolicy.IGNORE
                || countUnaccepted(draft, rollingBack) <= 0) {
            return Optional.empty();
        }
        return draft.nodes().stream()
                .filter(RollbackAcceptance::isLeftUnhealthyOrUnverified)
                .filter(node -> !isCleared(draft, node))
                .map(node -> pauseTime(draft, node, rollingBack))
                .sorted()
                .skip(countAccepted(draft, rollingBack))
                .findFirst();
    }

    /** With {@code wait}, an unhealthy node may recover until the health deadline. */
    private static Instant pauseTime(
            StepDraft draft, NodeUpgrade node, RolloutState.RollingBack rollingBack) {
        boolean mayRecover =
                rollingBack.health() == RollbackHealthPolicy.WAIT
                        && node.state() instanceof NodeState.RolledBack back
                        && back.finding().filter(RollbackAcceptance::isVerdict).isPresent();
        return mayRecover
                ? RestoredNodeHealthGate.notHealthySince(
                                draft, node, (NodeState.RolledBack) node.state(), rollingBack)
                        .plus(draft.spec.healthTimeout())
                : rollingBack.since();
    }

    /** Whether a verdict led to the finding, and not a deadline. */
    private static boolean isVerdict(Cause finding) {
        return finding.code().equals(PauseReason.RESTORED_UNHEALTHY.name());
    }

    /** Nodes that an operator accepted and that were not cleared since. */
    private static int countAccepted(StepDraft draft, RolloutState.RollingBack rollingBack) {
        int cleared = countClearedAfterAcceptance(draft, rollingBack);
        return Math.max(0, rollingBack.acceptedUnhealthy() - cleared);
    }

    /**
     * An operator accepted the nodes that were unhealthy then. Once one of them is healthy, the
     * next one that becomes unhealthy is not covered (A23).
     */
    static void lowerAcceptedUnhealthy(StepDraft draft) {
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

    private static int countCleared(StepDraft draft) {
        return (int)
                draft.nodes().stream()
                        .filter(RollbackAcceptance::isLeftUnhealthyOrUnverified)
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
        FleetView.NodeAttemptsAndReservation reservation = draft.fleet.reservation(node.id());
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
}
