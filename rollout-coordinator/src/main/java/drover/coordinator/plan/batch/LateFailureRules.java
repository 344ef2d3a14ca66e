package drover.coordinator.plan.batch;

import drover.coordinator.plan.incident.IncidentRules;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.DurationPhrase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.step.StepDraft;
import drover.coordinator.plan.step.TargetHealthConcerns;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Evaluates nodes that succeeded, for as long as their rollout may modify nodes (A22: a rollout is
 * responsible for the health of every node it modified). A node that becomes unhealthy counts as
 * failed until it is healthy again. If the finding is conclusive, the node restores what ran
 * before.
 */
public final class LateFailureRules {
    /** Findings that no waiting repairs. */
    private static final Set<String> CONCLUSIVE =
            Set.of("CRASH_LOOP", "WRONG_DIGEST", "WRONG_CONFIG");

    private LateFailureRules() {}

    public static void evaluate(StepDraft draft) {
        if (!areEvaluated(draft.rollout())) {
            return;
        }
        for (NodeUpgrade node : draft.nodes()) {
            switch (node.state()) {
                case NodeState.Succeeded succeeded -> evaluateSucceeded(draft, node, succeeded);
                case NodeState.Unhealthy unhealthy -> evaluateUnhealthy(draft, node, unhealthy);
                default -> {} // in flight, or not modified
            }
        }
    }

    /**
     * Whether a late failure counts. While the approval of a canary is awaited or unused, {@link
     * ApprovalRules} evaluates the canary alone. A rollout that skips validation never evaluates
     * health.
     */
    public static boolean areEvaluated(Rollout rollout) {
        return RolloutState.resumedState(rollout.state()) instanceof RolloutState.Running
                && !rollout.spec().strategy().skipsValidation()
                && !ApprovalRules.judgesCanary(rollout);
    }

    /** Whether health-evaluators watch the nodes that succeeded, or that a rollback restored. */
    public static boolean areFinishedNodesWatched(Rollout rollout) {
        return switch (RolloutState.resumedState(rollout.state())) {
            case RolloutState.Running running -> !rollout.spec().strategy().skipsValidation();
            case RolloutState.AwaitingApproval waiting -> true;
            case RolloutState.RollingBack rollingBack -> true;
            default -> false; // not started, cancelled, or ended
        };
    }

    private static void evaluateSucceeded(
            StepDraft draft, NodeUpgrade node, NodeState.Succeeded succeeded) {
        switch (TargetHealthConcerns.verdict(draft.spec, draft.fleet, node, succeeded.attempt())) {
            case HealthVerdict.Healthy healthy -> {}
            case HealthVerdict.Unhealthy unhealthy ->
                    markUnhealthy(draft, node, succeeded, decisiveFinding(unhealthy));
            case HealthVerdict.Settling settling
                    when draft.canJudgeDeadlines() && draft.isPast(failureDeadline(draft, node)) ->
                    markUnhealthy(
                            draft,
                            node,
                            succeeded,
                            new Cause(
                                    IncidentRules.STALLED,
                                    "Not healthy again within "
                                            + DurationPhrase.of(draft.spec.healthTimeout())
                                            + ": "
                                            + settling.waitingOn()));
            case HealthVerdict.Settling settling -> {} // the gate waits for it
            case HealthVerdict.NoData noData -> {} // never a failure (R3)
        }
    }

    private static void markUnhealthy(
            StepDraft draft, NodeUpgrade node, NodeState.Succeeded succeeded, Cause finding) {
        Cause cause = lateFailureCause(finding);
        draft.moveNode(node, succeeded.becomeUnhealthy(cause, draft.now), cause);
        NodeUpgrade failed = draft.node(node.id());
        evaluateUnhealthy(draft, failed, (NodeState.Unhealthy) failed.state());
    }

    static Cause lateFailureCause(Cause finding) {
        return new Cause(finding.code(), "Unhealthy after it had succeeded: " + finding.sentence());
    }

    private static void evaluateUnhealthy(
            StepDraft draft, NodeUpgrade node, NodeState.Unhealthy unhealthy) {
        HealthVerdict verdict =
                TargetHealthConcerns.verdict(draft.spec, draft.fleet, node, unhealthy.attempt());
        switch (verdict) {
            case HealthVerdict.Healthy healthy ->
                    draft.moveNode(
                            node,
                            unhealthy.recover(draft.now),
                            new Cause("RECOVERED", "Healthy again for the whole health wait."));
            case HealthVerdict.Unhealthy latest -> {
                NodeState.Unhealthy now =
                        updateCause(draft, node, unhealthy, decisiveFinding(latest));
                restoreIfConclusive(draft, draft.node(node.id()), now);
            }
            case HealthVerdict.Settling settling -> {} // it may recover
            case HealthVerdict.NoData noData -> {} // no data is no finding (R3)
        }
    }

    /** The finding that decides: a conclusive one, otherwise the first. */
    static Cause decisiveFinding(HealthVerdict.Unhealthy verdict) {
        return verdict.findings().stream()
                .filter(finding -> CONCLUSIVE.contains(finding.code()))
                .findFirst()
                .orElseGet(verdict::cause);
    }

    /** Stores another finding. Other words for the same one are not worth a commit. */
    private static NodeState.Unhealthy updateCause(
            StepDraft draft, NodeUpgrade node, NodeState.Unhealthy unhealthy, Cause finding) {
        if (finding.code().equals(unhealthy.cause().code())) {
            return unhealthy;
        }
        NodeState.Unhealthy next = unhealthy.withCause(lateFailureCause(finding));
        draft.putNodeWithCause(node.withState(next), next.cause());
        return next;
    }

    private static void restoreIfConclusive(
            StepDraft draft, NodeUpgrade node, NodeState.Unhealthy unhealthy) {
        boolean conclusive = CONCLUSIVE.contains(unhealthy.cause().code());
        if (conclusive
                && !draft.isOnRetiredMachine(node)
                && !draft.isReservedByOther(node)
                && hasCapacity(draft)) {
            restore(draft, node, unhealthy);
        }
    }

    /** A restore counts toward the nodes in flight (A21). */
    static boolean hasCapacity(StepDraft draft) {
        Batch current = draft.batches().get(draft.rollout().currentBatch());
        return draft.inFlightCapacity(current) > 0;
    }

    private static void restore(StepDraft draft, NodeUpgrade node, NodeState.Unhealthy unhealthy) {
        draft.restoreUnhealthy(node, unhealthy.cause());
        if (draft.batches().get(node.batch()).phase() == BatchPhase.PROMOTED) {
            draft.putNode(draft.node(node.id()).withBatch(draft.findOrAppendBatch()));
        }
    }

    /**
     * When a node that is not healthy any more counts as failed. Time without data does not count
     * (R3: no data is not failure).
     */
    private static Instant failureDeadline(StepDraft draft, NodeUpgrade node) {
        Instant since =
                Objects.requireNonNullElse(
                        draft.fleet.notHealthySince(node.id()), node.state().since());
        Instant data = draft.fleet.healthDataSince(node.id());
        Instant start = data != null && data.isAfter(since) ? data : since;
        return start.plus(draft.spec.healthTimeout());
    }

    /** When a node that is not healthy any more would count as failed. */
    public static Stream<Instant> failureDeadlines(StepDraft draft) {
        if (!areEvaluated(draft.rollout())) {
            return Stream.of();
        }
        return draft.nodes().stream()
                .filter(node -> node.state() instanceof NodeState.Succeeded)
                .filter(
                        node ->
                                TargetHealthConcerns.verdict(
                                                draft.spec,
                                                draft.fleet,
                                                node,
                                                ((NodeState.Succeeded) node.state()).attempt())
                                        instanceof HealthVerdict.Settling)
                .map(node -> failureDeadline(draft, node));
    }
}
