package drover.coordinator.plan.model;

import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.plan.observed.NodeView;
import drover.model.AttemptOutcome;
import drover.model.NodeId;
import drover.model.UpgradePhase;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A node within a rollout.
 *
 * @param batch index of its batch
 * @param attempts attempts made for this rollout, restores not counted
 * @param attempt number of the latest attempt on the node by this rollout; 0 before the first
 * @param open whether that attempt is not yet closed by the agent's word
 * @param sequence sequence of the last status taken in of that attempt
 * @param installedBy the attempt whose backup restores what ran before; 0 while the node is
 *     unmodified. An upgrade that failed and was not compensated counts as installed
 * @param running digest last reported running; empty when not known
 * @param handover how far its old agent is in handing over, in that attempt
 */
public record NodeUpgrade(
        NodeTarget target,
        int batch,
        NodeState state,
        int attempts,
        long attempt,
        boolean open,
        long sequence,
        long installedBy,
        AttemptProgress progress,
        String running,
        Handover handover) {
    /** Order in which nodes are upgraded, see {@link NodeOrder}. */
    public static final Comparator<NodeUpgrade> ORDER =
            Comparator.comparing(NodeUpgrade::target, NodeTarget.ORDER);

    /** Code of a handover between agents that takes too long. */
    public static final String HANDOVER_STALLED = "AGENT_HANDOVER_STALLED";

    /** Cause of what a rollout does about a node whose machine was retired. */
    public static final Cause RETIRED =
            new Cause(
                    SkipReason.RETIRED.name(),
                    "The machine that the rollout modified was retired. No machine under the"
                            + " node's name is restored by this rollout.");

    /**
     * An upgrade that failed and was not compensated may run, so that the rollout has to restore
     * the node and must not skip it (A13, A22). Rows of earlier versions lack the attempt.
     */
    public NodeUpgrade {
        if (installedBy == 0 && state instanceof NodeState.FailedRollback) {
            installedBy = attempt;
        }
    }

    /** A node whose agent hands over to nobody. */
    public NodeUpgrade(
            NodeTarget target,
            int batch,
            NodeState state,
            int attempts,
            long attempt,
            boolean open,
            long sequence,
            long installedBy,
            AttemptProgress progress,
            String running) {
        this(
                target,
                batch,
                state,
                attempts,
                attempt,
                open,
                sequence,
                installedBy,
                progress,
                running,
                Handover.none());
    }

    /** A node whose turn has not come. */
    public static NodeUpgrade withoutAttempts(NodeTarget target, int batch, NodeState state) {
        return new NodeUpgrade(target, batch, state, 0, 0, false, 0, 0, AttemptProgress.NONE, "");
    }

    /** Its id. */
    public NodeId id() {
        return target.node();
    }

    /** Phase of the attempt in flight; null before the first report and after the end. */
    public @Nullable UpgradePhase phase() {
        if (state instanceof NodeState.Settling || state instanceof NodeState.Observed) {
            return UpgradePhase.VERIFYING;
        }
        return state.isInFlight() ? progress.phase() : null;
    }

    /** Whether the rollout has to do with it, and nothing could bring it back. */
    public boolean isNotRollbackable() {
        boolean leftAlone = state instanceof NodeState.Skipped && installedBy == 0;
        return target.wayBack() == RestoreSource.NONE && !leftAlone;
    }

    /**
     * Whether the machine that the rollout modified was retired since. Another machine may be
     * registered under the node's name: what ran before on the retired one never ran on it.
     */
    public boolean isOnRetiredMachine(NodeAttemptsAndReservation reservation) {
        long modifiedBy = installedBy == 0 ? attempt : installedBy;
        return modifiedBy != 0 && !open && modifiedBy <= reservation.retiredAttempt();
    }

    /**
     * Whether its agent is connected again after it was offline at its deadline, and its attempt is
     * open: it may be at work, so that it counts as in flight (A21). An agent that was connected
     * all the time and does not respond does not count: the offline budget covers it.
     */
    public boolean isReconnectedAtWork(NodeView view) {
        return open
                && state instanceof NodeState.Unreachable unreachable
                && !unreachable.cause().code().equals(NodeState.Unreachable.UNRESPONSIVE)
                && view instanceof NodeView.Present;
    }

    /** Why an operator must check a node whose handover takes too long. */
    public Cause stalledHandoverCause() {
        String what =
                handover instanceof Handover.SuccessorSeen
                        ? "The new agent was seen, and attempt %d has not ended for 15 minutes"
                        : "The old agent started a new one in attempt %d, which is not heard for 15"
                                + " minutes";
        return new Cause(
                HANDOVER_STALLED,
                what.formatted(attempt)
                        + ": read the logs of both agents on the node; nothing stops on either side"
                        + " by itself.");
    }

    public NodeUpgrade withState(NodeState next) {
        return new NodeUpgrade(
                target,
                batch,
                next,
                attempts,
                attempt,
                open,
                sequence,
                installedBy,
                progress,
                running,
                handover);
    }

    public NodeUpgrade withBatch(int next) {
        return new NodeUpgrade(
                target,
                next,
                state,
                attempts,
                attempt,
                open,
                sequence,
                installedBy,
                progress,
                running,
                handover);
    }

    /** A new attempt is allotted: an upgrade counts as a try, a restore does not. */
    public NodeUpgrade withAttempt(long next, boolean upgrade) {
        return new NodeUpgrade(
                target,
                batch,
                state,
                upgrade ? attempts + 1 : attempts,
                next,
                true,
                0,
                installedBy,
                AttemptProgress.NONE,
                running,
                Handover.none());
    }

    /** A status of the present attempt is taken in. */
    public NodeUpgrade withStatus(AttemptStatus report) {
        return new NodeUpgrade(
                target,
                batch,
                state,
                attempts,
                attempt,
                !report.outcome().isTerminal(),
                report.sequence(),
                installedBy,
                new AttemptProgress(report.phase(), report.action(), report.percent()),
                report.runningDigest(),
                report.outcome().isTerminal() ? Handover.none() : handover);
    }

    public NodeUpgrade withInstalledBy(long upgradeAttempt) {
        return new NodeUpgrade(
                target,
                batch,
                state,
                attempts,
                attempt,
                open,
                sequence,
                upgradeAttempt,
                progress,
                running,
                handover);
    }

    /**
     * Its present attempt, an upgrade, installed the target or may have. If an earlier attempt did
     * so before, the backup of that one has what ran before the rollout.
     */
    public NodeUpgrade withTargetInstalled() {
        return installedBy == 0 ? withInstalledBy(attempt) : this;
    }

    /**
     * The end of its present attempt, received after the node was skipped or the rollout had ended
     * (A13).
     */
    public NodeUpgrade withLateOutcome(
            AttemptOutcome outcome, String runningDigest, String configDigest) {
        boolean source = isSourceOrEmpty(runningDigest, configDigest);
        return switch (outcome) {
            case SUCCEEDED, FAILED_ROLLBACK -> withTargetInstalled();
            case FAILED -> source ? this : withTargetInstalled();
            case RESTORED -> source ? withInstalledBy(0) : withTargetInstalled();
            case IN_PROGRESS, REFUSED, WITHDRAWN -> this;
        };
    }

    /** Whether these digests are what ran before; an empty one belongs to nothing that runs. */
    public boolean isSourceOrEmpty(String runningDigest, String configDigest) {
        return isEmptyOrEqual(runningDigest, target.sourceDigest().value())
                && isEmptyOrEqual(configDigest, target.sourceConfig().value());
    }

    private static boolean isEmptyOrEqual(String digest, String before) {
        return digest.isEmpty() || digest.equals(before);
    }

    /** How its attempt hands over from one agent to the next. */
    public NodeUpgrade withHandover(Handover next) {
        return new NodeUpgrade(
                target,
                batch,
                state,
                attempts,
                attempt,
                open,
                sequence,
                installedBy,
                progress,
                running,
                next);
    }
}
