package drover.coordinator.plan.request;

import drover.coordinator.plan.batch.CanaryEvidence;
import drover.coordinator.plan.batch.OfflineBudgetUsageCounter;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.StateNameFormatter;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.FleetView;
import drover.model.NodeId;
import drover.model.RefusalCode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A rollout while one request to it is being decided. Lives for one call. */
final class RequestDecisionDraft {
    final Rollout rollout;
    final FleetView fleet;
    final Instant now;

    private final String reason;
    private final List<Transition> transitions = new ArrayList<>();
    private final Map<NodeId, NodeUpgrade> nodes;
    private final List<Batch> batches;
    private int acknowledgedFailures;
    private int acceptedOffline;
    private boolean forced;

    RequestDecisionDraft(Rollout rollout, FleetView fleet, String reason, Instant now) {
        this.rollout = rollout;
        this.fleet = fleet;
        this.reason = reason;
        this.now = now;
        this.nodes = new LinkedHashMap<>(rollout.nodes());
        this.batches = new ArrayList<>(rollout.batches());
        this.acknowledgedFailures = rollout.acknowledgedFailures();
        this.acceptedOffline = rollout.acceptedOffline();
        this.forced = rollout.forced();
    }

    RolloutState state() {
        return rollout.state();
    }

    /** Accepts the present failures, and each node that became unhealthy as it is (A22). */
    void acknowledgeFailures(int failures) {
        acknowledgedFailures = failures;
        nodes.replaceAll(
                (id, node) ->
                        node.state() instanceof NodeState.Unhealthy late
                                ? node.withState(late.acknowledge())
                                : node);
    }

    void acceptOffline() {
        acceptedOffline = OfflineBudgetUsageCounter.countUsed(rollout, fleet, now);
    }

    /** Nodes that nobody could judge are waited for anew: else it would pause again at once. */
    void restartHealthWait() {
        nodes.replaceAll(
                (id, node) ->
                        switch (node.state()) {
                            case NodeState.Settling settling ->
                                    node.withState(settling.restartWait(now));
                            case NodeState.Restored restored ->
                                    node.withState(restored.restartWait(now));
                            default -> node; // of nothing else is health awaited with a deadline
                        });
    }

    /** From now on failures do not stop it; the history tells who wanted that. */
    void markForced() {
        forced = true;
    }

    /** The batch a node may join now: the one in flight, or a new one when all have passed. */
    int findOrAppendBatch() {
        if (rollout.areAllBatchesPromoted()) {
            batches.add(new Batch(batches.size(), false, BatchPhase.PENDING, now));
            return batches.size() - 1;
        }
        return rollout.currentBatch();
    }

    void moveNode(NodeUpgrade node, NodeState next, String code, String sentence) {
        transitions.add(
                new Transition(
                        "node",
                        node.id(),
                        StateNameFormatter.of(node.state()),
                        StateNameFormatter.of(next),
                        toCause(code, sentence)));
        nodes.put(node.id(), node.withState(next));
    }

    void moveBatch(Batch batch, BatchPhase phase, String code, String sentence) {
        transitions.add(
                new Transition(
                        "batch " + (batch.index() + 1),
                        null,
                        StateNameFormatter.of(batch.phase()),
                        StateNameFormatter.of(phase),
                        toCause(code, sentence)));
        batches.set(batch.index(), batch.withPhase(phase, now));
    }

    RequestDecision approve(RolloutState.AwaitingApproval waiting, String evidence) {
        Batch canary = batches.get(rollout.currentBatch());
        if (!rollout.isBatchDecided(canary.index())) {
            return refuse(
                    RefusalCode.NOT_AWAITING,
                    "The canary has changed and is observed anew; approve it when it is proven.");
        }
        if (evidence.isEmpty()) {
            return refuse(
                    RefusalCode.MISSING_FIELD,
                    "Name the evidence that you approve on; 'drover rollout show' and the field"
                            + " evidence of the rollout have it.");
        }
        CanaryEvidence present = CanaryEvidence.of(rollout, waiting);
        if (!present.digest().value().equals(evidence)) {
            return refuse(
                    RefusalCode.EVIDENCE_CHANGED,
                    "The canary is not what was looked at: "
                            + present.latestChangeText()
                            + ". Look at the evidence again before you approve.");
        }
        String sentence = "An operator approved the canary on evidence " + evidence + ".";
        moveBatch(canary, BatchPhase.APPROVED, OperatorRequestRules.APPROVED, sentence);
        return moveRollout(waiting.approve(now), OperatorRequestRules.APPROVED, sentence);
    }

    /** A canary of which a node is given up is not what was approved: it is approved anew. */
    void invalidateApprovalIfGiven(NodeUpgrade node) {
        Batch batch = batches.get(node.batch());
        if (batch.phase() == BatchPhase.APPROVED) {
            moveBatch(
                    batch,
                    BatchPhase.AWAITING_APPROVAL,
                    "OBSERVED_ANEW",
                    "The canary has changed since it was approved.");
        }
    }

    /** The request is applied and moves the rollout. */
    RequestDecision moveRollout(RolloutState next, String code, String sentence) {
        transitions.add(
                new Transition(
                        "rollout",
                        null,
                        StateNameFormatter.of(state()),
                        StateNameFormatter.of(next),
                        toCause(code, sentence)));
        return toApplied(next);
    }

    /** The request is applied and leaves the rollout's own state as it is. */
    RequestDecision toApplied(RolloutState next) {
        return new RequestDecision.Applied(
                new Rollout(
                        rollout.id(),
                        rollout.revision(),
                        rollout.spec(),
                        next,
                        acknowledgedFailures,
                        acceptedOffline,
                        forced,
                        batches,
                        nodes),
                transitions);
    }

    RequestDecision refuse(RefusalCode code, String sentence) {
        return new RequestDecision.Refused(code, sentence);
    }

    private Cause toCause(String code, String sentence) {
        return new Cause(code, reason.isBlank() ? sentence : sentence + " Reason: " + reason);
    }
}
