package drover.coordinator.plan.health;

import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.DurationPhrase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.step.StepDraft;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Judges nodes on which the target runs: are they well, and have they been for long enough
 * (invariants F1 to F4)?
 */
public final class HealthGate {
    private HealthGate() {}

    public static void evaluate(StepDraft draft) {
        draft.nodesInFlight().forEach(node -> evaluate(draft, node));
        draft.batches().stream()
                .filter(Batch::canary)
                .forEach(batch -> succeedCanaryIfObserved(draft, batch));
    }

    private static void evaluate(StepDraft draft, NodeUpgrade node) {
        switch (node.state()) {
            case NodeState.Settling settling -> evaluateSettling(draft, node, settling);
            case NodeState.Observed observed -> evaluateObserved(draft, node, observed);
            default -> {} // only these two have something to be judged
        }
    }

    private static void evaluateSettling(
            StepDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        if (draft.spec.strategy().skipsValidation()) {
            draft.moveNode(
                    node,
                    settling.succeed(draft.now),
                    new Cause("NOT_VALIDATED", "Health is not waited for, as asked."));
            return;
        }
        switch (verdict(draft, node, settling.attempt())) {
            case HealthVerdict.Healthy healthy -> applyHealthy(draft, node, settling);
            case HealthVerdict.Unhealthy unhealthy ->
                    draft.restoreUnhealthy(node, unhealthy.cause());
            case HealthVerdict.Settling waiting -> {}
            case HealthVerdict.NoData noData -> {}
        }
    }

    private static void applyHealthy(
            StepDraft draft, NodeUpgrade node, NodeState.Settling settling) {
        Cause because =
                new Cause(
                        "WELL", "Healthy for " + DurationPhrase.of(draft.spec.healthWait()) + ".");
        boolean canary = draft.batches().get(node.batch()).canary();
        if (canary) {
            draft.putNode(
                    node.withState(
                            settling.startObservation(draft.now))); // still settling to people
        } else {
            draft.moveNode(node, settling.succeed(draft.now), because);
        }
    }

    private static void evaluateObserved(
            StepDraft draft, NodeUpgrade node, NodeState.Observed observed) {
        switch (verdict(draft, node, observed.attempt())) {
            case HealthVerdict.Healthy healthy -> {}
            case HealthVerdict.Unhealthy unhealthy ->
                    draft.restoreUnhealthy(node, unhealthy.cause());
            case HealthVerdict.Settling waiting ->
                    draft.putNode(node.withState(observed.returnToSettling(draft.now)));
            case HealthVerdict.NoData noData -> applyNoData(draft, node, observed);
        }
    }

    /**
     * While nobody is heard nothing is concluded, and a short silence takes nothing back: nodes
     * count their wellness themselves, and one that was not well meanwhile says so when it is heard
     * again. An agent that dials elsewhere is silent for a moment (0074).
     */
    private static void applyNoData(
            StepDraft draft, NodeUpgrade node, NodeState.Observed observed) {
        if (draft.isPast(noDataDeadline(draft, node, observed))) {
            draft.putNode(node.withState(observed.returnToSettling(draft.now)));
        }
    }

    /**
     * Until when the silence of an observed node is short: no longer than the wait, in which it
     * could have been unwell and become well again unseen. Never while no evaluator is heard. One
     * whose evaluator is lost meanwhile is silent from the loss on (0086).
     */
    public static Instant noDataDeadline(
            StepDraft draft, NodeUpgrade node, NodeState.Observed observed) {
        Instant judged = draft.fleet.evaluatorConnectedSince();
        if (judged == null
                || !(verdict(draft, node, observed.attempt()) instanceof HealthVerdict.NoData)) {
            return Instant.MAX;
        }
        Instant noDataSince = draft.fleet.noHealthDataSince(node.id());
        Duration wait = draft.spec.healthWait();
        return (noDataSince == null ? judged : noDataSince)
                .plus(
                        wait.compareTo(RolloutTimeouts.RECONNECT_GRACE) < 0
                                ? wait
                                : RolloutTimeouts.RECONNECT_GRACE);
    }

    /**
     * The whole canary succeeds in one step, once its last node has been well for the observation.
     */
    private static void succeedCanaryIfObserved(StepDraft draft, Batch canary) {
        List<NodeUpgrade> inFlight =
                draft.nodesInBatch(canary.index())
                        .filter(node -> node.state().isInFlight())
                        .toList();
        boolean allHealthy = inFlight.stream().allMatch(node -> isObservedHealthy(draft, node));
        if (inFlight.isEmpty() || !allHealthy || !draft.isPast(observationEnd(draft, inFlight))) {
            return;
        }
        for (NodeUpgrade node : inFlight) {
            if (node.state() instanceof NodeState.Observed observed) {
                draft.moveNode(
                        node,
                        observed.succeed(draft.now),
                        new Cause(
                                "OBSERVED",
                                "Healthy throughout the observation of "
                                        + DurationPhrase.of(draft.spec.observationDuration())
                                        + "."));
            }
        }
    }

    private static boolean isObservedHealthy(StepDraft draft, NodeUpgrade node) {
        return node.state() instanceof NodeState.Observed observed
                && verdict(draft, node, observed.attempt()) instanceof HealthVerdict.Healthy;
    }

    public static Instant observationEnd(StepDraft draft, List<NodeUpgrade> observed) {
        return observed.stream()
                .map(node -> ((NodeState.Observed) node.state()).wellSince())
                .max(Instant::compareTo)
                .orElse(draft.now)
                .plus(draft.spec.observationDuration());
    }

    public static HealthVerdict verdict(StepDraft draft, NodeUpgrade node, long attempt) {
        return draft.fleet
                .verdict(node.id())
                .filter(verdict -> verdict.attempt() == attempt)
                .orElse(new HealthVerdict.NoData(attempt, "No verdict yet."));
    }
}
