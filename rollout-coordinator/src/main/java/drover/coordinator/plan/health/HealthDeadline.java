package drover.coordinator.plan.health;

import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.step.StepDraft;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How long a node on which the target runs is waited for, heard or not (decision 0073). Pure.
 *
 * <p>What is heard must become good within the health deadline, counted from the first moment it
 * was heard of without a break. What is not heard has the limit of silence, and each later silence
 * the time in which an agent is heard elsewhere. A node that comes and goes would begin anew each
 * time, so that there is an end to all of it.
 */
final class HealthDeadline {
    /**
     * Limits of silence, 2 minutes or 3 health waits each, until it is no matter what was heard in
     * between: one until it is heard late, one in which it becomes well, and one for what
     * interrupts that.
     */
    private static final int MAX_NO_DATA_LIMITS = 3;

    private HealthDeadline() {}

    /** When something must be decided of the node. */
    static Instant deadline(StepDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        return earlier(currentDeadline(draft, node, settling), flappingDeadline(draft, settling));
    }

    /** Whether it came and went until its time was up, and is neither silent nor unwell now. */
    static boolean isFlappingTimeout(
            StepDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        return !draft.isPast(currentDeadline(draft, node, settling));
    }

    /** Until when it is waited for as it is now. */
    private static Instant currentDeadline(
            StepDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        Instant judgedSince = later(settling.since(), draft.fleet.evaluatorConnectedSince());
        if (hasData(draft, node, settling)) {
            return later(judgedSince, draft.fleet.healthDataSince(node.id()))
                    .plus(draft.spec.healthTimeout());
        }
        Instant limit = extendByEvaluatorGrace(draft, judgedSince.plus(draft.spec.noDataTimeout()));
        Instant noDataSince = noDataSince(draft, node);
        return noDataSince == null
                ? limit
                : later(limit, noDataSince.plus(RolloutTimeouts.RECONNECT_GRACE));
    }

    /**
     * The time of all comings and goings together, of nodes and of whoever judges them. Counted
     * from when a person last had the rollout go on, or cancelled it; only while it does, for a
     * pause has its person already. Whatever came and went while the leader itself saw nothing does
     * not count (rule R3).
     */
    private static Instant flappingDeadline(StepDraft draft, NodeState.Settling settling) {
        Instant requestedAt = draft.state().since();
        Instant startedAt = later(settling.since(), requestedAt);
        if (draft.state() instanceof RolloutState.Cancelling) {
            startedAt =
                    earlier(
                            startedAt,
                            requestedAt.plus(draft.workTimeout())); // a canary settles repeatedly
        } else if (!(draft.state() instanceof RolloutState.Running)
                && !(draft.state() instanceof RolloutState.RollingBack)) {
            return Instant.MAX;
        }
        return later(startedAt, draft.fleet.completeViewSince())
                .plus(draft.spec.noDataTimeout().multipliedBy(MAX_NO_DATA_LIMITS));
    }

    /** Until then, and no evaluator that was heard is given less time to come back, or another. */
    static Instant extendByEvaluatorGrace(StepDraft draft, Instant limit) {
        Instant lost = draft.fleet.evaluatorUnavailableSince();
        return lost == null ? limit : later(limit, lost.plus(RolloutTimeouts.RECONNECT_GRACE));
    }

    /** Whether its agent is there, and whoever judges it has something to say of it. */
    private static boolean hasData(StepDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        return !(draft.fleet.node(node.id()) instanceof NodeView.Absent)
                && !(HealthGate.verdict(draft, node, settling.attempt())
                        instanceof HealthVerdict.NoData);
    }

    /** When the present silence of a node began; null when it has been silent from the first. */
    private static @Nullable Instant noDataSince(StepDraft draft, NodeUpgrade node) {
        Instant noDataSince = draft.fleet.noHealthDataSince(node.id());
        Instant disconnectedAt =
                draft.fleet.node(node.id()) instanceof NodeView.Absent(Instant since)
                        ? since
                        : null;
        return noDataSince != null && disconnectedAt != null
                ? earlier(noDataSince, disconnectedAt)
                : noDataSince == null ? disconnectedAt : noDataSince;
    }

    private static Instant earlier(Instant one, Instant other) {
        return other.isBefore(one) ? other : one;
    }

    private static Instant later(Instant one, @Nullable Instant other) {
        return other != null && other.isAfter(one) ? other : one;
    }
}
