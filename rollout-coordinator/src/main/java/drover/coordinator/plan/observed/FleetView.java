package drover.coordinator.plan.observed;

import drover.model.NodeId;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The fleet as the leader sees it at one moment; asking twice gives the same answer. */
public interface FleetView {
    /**
     * Since when the leader has held the fence, could commit and has had a full snapshot from every
     * registered gateway; null while it has not (rule R3).
     */
    @Nullable Instant completeViewSince();

    /** Since when the leader has not been able to see the fleet whole; null while it can. */
    @Nullable Instant visibilityLostSince();

    /** Since when the health-evaluator has been heard without a break; null while it is not. */
    @Nullable Instant evaluatorConnectedSince();

    /**
     * Since when no health-evaluator is heard, after one was; null while one is, where none was
     * yet, and where it was not recorded.
     */
    default @Nullable Instant evaluatorUnavailableSince() {
        return null;
    }

    /** Whether the health-evaluator can be heard. */
    default boolean isEvaluatorAvailable() {
        return evaluatorConnectedSince() != null;
    }

    /** The node. */
    NodeView node(NodeId node);

    /** The latest status of the node, of whatever attempt. */
    Optional<AttemptStatus> latestStatus(NodeId node);

    /** The second agent of the node, if one is connected beside the executor. */
    default Optional<StandbyAgent> standby(NodeId node) {
        return Optional.empty();
    }

    /** What the health-evaluator holds of the node. */
    Optional<HealthVerdict> verdict(NodeId node);

    /**
     * Since when the health-evaluator has had something to say of that attempt of the node without
     * a break; null while it has not, and where it was not recorded. While another one was asked
     * and has not spoken yet, it is what it was before.
     */
    default @Nullable Instant healthDataSince(NodeId node) {
        return null;
    }

    /**
     * Since when the health-evaluator has had nothing more to say of an attempt of the node of
     * which it had said something before, or since its evaluator was lost; null while it has, while
     * it never had, and where it was not recorded.
     */
    default @Nullable Instant noHealthDataSince(NodeId node) {
        return null;
    }

    /**
     * Since when the latest verdict on the node has not been healthy; null while it is, and where
     * that was not recorded.
     */
    default @Nullable Instant notHealthySince(NodeId node) {
        return null;
    }

    /**
     * Since when whoever is asked of the node now could have heard it: since its present connection
     * is known of, or since another evaluator was asked, whichever is later. Null where that is not
     * known; it is not recorded, for it decides no move.
     */
    default @Nullable Instant observableSince(NodeId node) {
        return null;
    }

    /** Whether anything is seen of the fleet at all: only by the coordinator that leads. */
    default boolean isLeaderView() {
        return true;
    }

    /** What the control plane itself knows of the node. */
    NodeAttemptsAndReservation reservation(NodeId node);

    /**
     * Whether a later attempt has changed the program that the rollout in question installed on the
     * node. Only known where the rollback of an ended rollout is decided; else false.
     */
    default boolean isUpgradeSuperseded(NodeId node) {
        return false;
    }

    /**
     * What outlives rollouts.
     *
     * @param lastAttempt highest attempt ever allotted to the node (rule R1)
     * @param openFor rollout that has an attempt open on it, or {@link #CLEARING}; null when none
     * @param failedRollback whether it needs a person (invariant D14)
     * @param inHandOf rollout that has the node in flight, with an attempt open or not; null when
     *     none. Decisions that earlier versions recorded lack it
     * @param retiredAttempt highest attempt on a machine that was retired since; 0 when none was.
     *     Decisions that earlier versions recorded lack it
     */
    record NodeAttemptsAndReservation(
            long lastAttempt,
            @Nullable RolloutId openFor,
            boolean failedRollback,
            @Nullable RolloutId inHandOf,
            long retiredAttempt) {
        /** A node that no rollout has in flight, and that was never retired. */
        public NodeAttemptsAndReservation(
                long lastAttempt, @Nullable RolloutId openFor, boolean failedRollback) {
            this(lastAttempt, openFor, failedRollback, null, 0);
        }

        /** The next attempt of a rollout, or a clear. */
        public NodeAttemptsAndReservation withAttempt(long attempt, RolloutId owner) {
            return new NodeAttemptsAndReservation(
                    attempt, owner, failedRollback, inHandOf, retiredAttempt);
        }

        /** An attempt is closed; an earlier one changes nothing. */
        public NodeAttemptsAndReservation withClosedAttempt(long attempt) {
            return attempt == lastAttempt
                    ? new NodeAttemptsAndReservation(
                            lastAttempt, null, failedRollback, inHandOf, retiredAttempt)
                    : this;
        }

        public NodeAttemptsAndReservation withFailedRollback(boolean marked) {
            return new NodeAttemptsAndReservation(
                    lastAttempt, openFor, marked, inHandOf, retiredAttempt);
        }

        public NodeAttemptsAndReservation withHolder(@Nullable RolloutId rollout) {
            return new NodeAttemptsAndReservation(
                    lastAttempt, openFor, failedRollback, rollout, retiredAttempt);
        }

        /** The machine is retired: its mark and its attempts do not concern the next machine. */
        public NodeAttemptsAndReservation retire() {
            return new NodeAttemptsAndReservation(
                    lastAttempt, openFor, false, inHandOf, lastAttempt);
        }

        /**
         * Who else has the node: work is open on it, or what was installed is being proven, which a
         * later attempt would make unprovable (A4, F1). Null when nobody but {@code own} has.
         */
        public @Nullable RolloutId otherReservingRollout(RolloutId own) {
            if (openFor != null && !openFor.equals(own)) {
                return openFor;
            }
            return inHandOf == null || inHandOf.equals(own) ? null : inHandOf;
        }

        /** A node that never had work. */
        public static final NodeAttemptsAndReservation FRESH =
                new NodeAttemptsAndReservation(0, null, false);

        /** Stands for a rollout while the open attempt is a clear, which belongs to none. */
        public static final RolloutId CLEARING = new RolloutId("being-cleared");
    }
}
