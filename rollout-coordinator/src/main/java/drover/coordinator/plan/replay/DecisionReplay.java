package drover.coordinator.plan.replay;

import drover.coordinator.plan.RolloutPlanner;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.StandbyAgent;
import drover.coordinator.plan.replay.RecordedDecisionInput.RecordedNode;
import drover.coordinator.plan.request.OperatorRequestRules;
import drover.coordinator.plan.request.RequestDecision;
import drover.coordinator.plan.step.Step;
import drover.model.NodeId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Feeds recorded decisions to the planner again: the same inputs must lead to the same moves
 * (invariant A20). Pure.
 */
public final class DecisionReplay {
    private final Map<NodeId, RecordedNode> known = new HashMap<>();
    private final List<RecomputedTransition> moves = new ArrayList<>();
    private @Nullable Rollout rollout;

    private DecisionReplay() {}

    /** A move that the planner made again, and when. */
    public record RecomputedTransition(Instant at, Transition transition) {}

    /**
     * Every move, in order.
     *
     * @param decisions all of a rollout, in the order of its revisions
     * @throws IllegalStateException when a rollout that was loaded in between is not what the moves
     *     before had left
     */
    public static List<RecomputedTransition> replay(List<RecordedDecisionInput> decisions) {
        DecisionReplay replay = new DecisionReplay();
        decisions.forEach(replay::replayStep);
        return List.copyOf(replay.moves);
    }

    private void replayStep(RecordedDecisionInput decision) {
        Rollout before = rolloutBefore(decision);
        known.putAll(decision.changed());
        FleetView fleet = new RecordedFleet(decision, Map.copyOf(known));
        RecordedDecisionInput.RecordedRequest requested = decision.request();
        if (requested == null) {
            Step step = RolloutPlanner.plan(before, fleet, decision.timings(), decision.now());
            recordAndAdvance(decision, step.next(), step.transitions());
        } else if (requested.ruledOut()) {
            recordAndAdvance(decision, before, List.of());
        } else {
            var request =
                    new OperatorRequestRules.SubmittedRequest(
                            requested.request(), requested.actor(), requested.reason());
            switch (OperatorRequestRules.decide(before, request, fleet, decision.now())) {
                case RequestDecision.Applied(Rollout next, List<Transition> transitions) ->
                        recordAndAdvance(decision, next, transitions);
                case RequestDecision.Refused refused ->
                        recordAndAdvance(decision, before, List.of());
            }
        }
    }

    private void recordAndAdvance(
            RecordedDecisionInput decision, Rollout next, List<Transition> transitions) {
        transitions.forEach(move -> moves.add(new RecomputedTransition(decision.now(), move)));
        rollout = next.withNextRevision();
    }

    /**
     * What was loaded is what had been left, unless somebody else wrote in between: then the
     * revision says so.
     */
    private Rollout rolloutBefore(RecordedDecisionInput decision) {
        Rollout loaded = decision.before();
        if (loaded == null) {
            if (rollout == null) {
                throw new IllegalStateException("The first decision must carry the rollout");
            }
            return rollout;
        }
        known.clear(); // whoever loads knows nothing yet, and records all of it
        boolean continues = rollout != null && rollout.revision() == loaded.revision();
        if (continues && !loaded.equals(rollout)) {
            throw new IllegalStateException(
                    "Revision " + loaded.revision() + " is not what the replay has come to");
        }
        return loaded;
    }

    /** The fleet as it was recorded. */
    private record RecordedFleet(RecordedDecisionInput decision, Map<NodeId, RecordedNode> nodes)
            implements FleetView {
        private RecordedNode recordedNode(NodeId node) {
            return nodes.getOrDefault(node, RecordedNode.NOTHING);
        }

        @Override
        public @Nullable Instant completeViewSince() {
            return decision.completeSince();
        }

        @Override
        public @Nullable Instant visibilityLostSince() {
            return decision.blindSince();
        }

        @Override
        public @Nullable Instant evaluatorConnectedSince() {
            return decision.healthSince();
        }

        @Override
        public @Nullable Instant evaluatorUnavailableSince() {
            return decision.healthLostSince();
        }

        @Override
        public NodeView node(NodeId node) {
            return recordedNode(node).view();
        }

        @Override
        public Optional<AttemptStatus> latestStatus(NodeId node) {
            return Optional.ofNullable(recordedNode(node).report());
        }

        @Override
        public Optional<StandbyAgent> standby(NodeId node) {
            return Optional.ofNullable(recordedNode(node).standby());
        }

        @Override
        public Optional<HealthVerdict> verdict(NodeId node) {
            return Optional.ofNullable(recordedNode(node).verdict());
        }

        @Override
        public @Nullable Instant healthDataSince(NodeId node) {
            return recordedNode(node).heardSince();
        }

        @Override
        public @Nullable Instant noHealthDataSince(NodeId node) {
            return recordedNode(node).unheardSince();
        }

        @Override
        public @Nullable Instant notHealthySince(NodeId node) {
            return recordedNode(node).notHealthySince();
        }

        @Override
        public drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation reservation(
                NodeId node) {
            return recordedNode(node).guard();
        }

        @Override
        public boolean isUpgradeSuperseded(NodeId node) {
            return Boolean.TRUE.equals(recordedNode(node).superseded());
        }
    }
}
