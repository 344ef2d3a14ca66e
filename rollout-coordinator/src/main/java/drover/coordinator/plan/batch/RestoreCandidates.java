package drover.coordinator.plan.batch;

import drover.coordinator.plan.health.RollbackAcceptance;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.ProgramKind;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.NodeView.ProgramHealth;
import drover.coordinator.plan.step.StepDraft;
import drover.coordinator.plan.step.TargetHealthConcerns;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Modified nodes that a rollback can restore, in the order of the restores. Pure.
 *
 * @param nodes see {@link RollbackOrder}
 */
record RestoreCandidates(List<NodeUpgrade> nodes) {
    RestoreCandidates {
        nodes = List.copyOf(nodes);
    }

    static RestoreCandidates of(StepDraft draft) {
        return new RestoreCandidates(
                draft.nodes().stream()
                        .filter(node -> node.installedBy() != 0)
                        .filter(node -> isCandidate(draft, node))
                        .sorted(RollbackOrder.comparator(node -> isUnhealthy(draft, node)))
                        .toList());
    }

    boolean isEmpty() {
        return nodes.isEmpty();
    }

    static boolean isUnhealthy(StepDraft draft, NodeUpgrade node) {
        return RollbackOrder.isUnhealthy(draft.spec, draft.fleet, node);
    }

    private static boolean isCandidate(StepDraft draft, NodeUpgrade node) {
        return switch (node.state()) {
            case NodeState.Succeeded s -> true;
            case NodeState.Unhealthy u -> true;
            case NodeState.Settling s -> true;
            case NodeState.Observed o -> true;
            case NodeState.Unreachable u -> canBeRestored(draft, node);
            case NodeState.Skipped s -> canBeRestored(draft, node);
            case NodeState.Pending p -> canBeRestored(draft, node); // retried, and not dispatched
            case NodeState.Held h -> canBeRestored(draft, node);
            case NodeState.Failed f -> canBeRestored(draft, node);
            case NodeState.FailedRollback f ->
                    canBeRestored(draft, node) && RollbackAcceptance.isCleared(draft, node);
            default -> false;
        };
    }

    /** Nodes that were given up are restored if they can be, and not waited for. */
    private static boolean canBeRestored(StepDraft draft, NodeUpgrade node) {
        return !node.open()
                && draft.fleet.node(node.id()) instanceof NodeView.Present
                && !draft.isReservedByOther(node);
    }

    /**
     * Until when the health of the candidates is waited for, so that unhealthy ones are restored
     * first; empty while it is known. A single candidate needs no order.
     */
    Optional<Instant> findHealthDeadline(StepDraft draft, RolloutState.RollingBack rollingBack) {
        return nodes.size() < 2
                ? Optional.empty()
                : nodes.stream()
                        .flatMap(node -> healthDeadline(draft, rollingBack, node).stream())
                        .filter(deadline -> !draft.isPast(deadline))
                        .max(Instant::compareTo);
    }

    /** An agent that is connected is healthy; gateways report the health of other programs only. */
    private static Optional<Instant> healthDeadline(
            StepDraft draft, RolloutState.RollingBack rollingBack, NodeUpgrade node) {
        boolean unknown =
                draft.spec.programKind() != ProgramKind.AGENT
                        && node.state() instanceof NodeState.Succeeded succeeded
                        && draft.fleet.node(node.id()) instanceof NodeView.Present
                        && TargetHealthConcerns.verdict(
                                        draft.spec, draft.fleet, node, succeeded.attempt())
                                instanceof HealthVerdict.NoData;
        ProgramHealth reported = draft.fleet.node(node.id()).reportedHealth(draft.spec.binary());
        boolean determined = reported != null && reported.level() != ProgramHealth.Level.UNKNOWN;
        if (!unknown || determined) {
            return Optional.empty();
        }
        // gateways of earlier versions report no health: only a new leader waits for a first report
        return Stream.of(
                        Optional.ofNullable(draft.fleet.completeViewSince()),
                        Optional.of(rollingBack.since()).filter(since -> reported != null))
                .flatMap(Optional::stream)
                .max(Instant::compareTo)
                .map(since -> since.plus(TargetHealthConcerns.FIRST_HEARTBEAT));
    }
}
