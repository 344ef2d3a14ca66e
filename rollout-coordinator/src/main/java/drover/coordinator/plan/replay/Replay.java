package drover.coordinator.plan.replay;

import drover.coordinator.plan.RolloutPlanner;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.Transition;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.StandbyAgent;
import drover.coordinator.plan.replay.RecordedDecision.NodeFacts;
import drover.coordinator.plan.request.Decision;
import drover.coordinator.plan.request.OperatorRequests;
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
public final class Replay {
    private final Map<NodeId, NodeFacts> known = new HashMap<>();
    private final List<Replayed> moves = new ArrayList<>();
    private @Nullable Rollout rollout;

    private Replay() {}

    /** A move that the planner made again, and when. */
    public record Replayed(Instant at, Transition transition) {}

    /**
     * Every move, in order.
     *
     * @param decisions all of a rollout, in the order of its revisions
     * @throws IllegalStateException when a rollout that was loaded in between is not what the moves
     *     before had left
     */
    public static List<Replayed> of(List<RecordedDecision> decisions) {
        Replay replay = new Replay();
        decisions.forEach(replay::step);
        return List.copyOf(replay.moves);
    }

    private void step(RecordedDecision decision) {
        Rollout before = before(decision);
        known.putAll(decision.changed());
        FleetView fleet = new RecordedFleet(decision, Map.copyOf(known));
        RecordedDecision.RecordedRequest requested = decision.request();
        if (requested == null) {
            Step step = RolloutPlanner.plan(before, fleet, decision.timings(), decision.now());
            advance(decision, step.next(), step.transitions());
        } else if (requested.ruledOut()) {
            advance(decision, before, List.of());
        } else {
            var request =
                    new OperatorRequests.SubmittedRequest(
                            requested.request(), requested.actor(), requested.reason());
            switch (OperatorRequests.decide(before, request, fleet, decision.now())) {
                case Decision.Applied(Rollout next, List<Transition> transitions) ->
                        advance(decision, next, transitions);
                case Decision.Refused refused -> advance(decision, before, List.of());
            }
        }
    }

    private void advance(RecordedDecision decision, Rollout next, List<Transition> transitions) {
        transitions.forEach(move -> moves.add(new Replayed(decision.now(), move)));
        rollout = next.committed();
    }

    /**
     * What was loaded is what had been left, unless somebody else wrote in between: then the
     * revision says so.
     */
    private Rollout before(RecordedDecision decision) {
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
    private record RecordedFleet(RecordedDecision decision, Map<NodeId, NodeFacts> nodes)
            implements FleetView {
        private NodeFacts facts(NodeId node) {
            return nodes.getOrDefault(node, NodeFacts.NOTHING);
        }

        @Override
        public @Nullable Instant completeSince() {
            return decision.completeSince();
        }

        @Override
        public @Nullable Instant visibilityLostSince() {
            return decision.blindSince();
        }

        @Override
        public @Nullable Instant healthSince() {
            return decision.healthSince();
        }

        @Override
        public @Nullable Instant healthUnavailableSince() {
            return decision.healthLostSince();
        }

        @Override
        public NodeView node(NodeId node) {
            return facts(node).view();
        }

        @Override
        public Optional<AttemptStatus> report(NodeId node) {
            return Optional.ofNullable(facts(node).report());
        }

        @Override
        public Optional<StandbyAgent> standby(NodeId node) {
            return Optional.ofNullable(facts(node).standby());
        }

        @Override
        public Optional<HealthVerdict> verdict(NodeId node) {
            return Optional.ofNullable(facts(node).verdict());
        }

        @Override
        public @Nullable Instant dataSince(NodeId node) {
            return facts(node).heardSince();
        }

        @Override
        public @Nullable Instant noDataSince(NodeId node) {
            return facts(node).unheardSince();
        }

        @Override
        public @Nullable Instant notHealthySince(NodeId node) {
            return facts(node).notHealthySince();
        }

        @Override
        public drover.coordinator.plan.observed.FleetView.NodeReservation reservation(NodeId node) {
            return facts(node).guard();
        }

        @Override
        public boolean superseded(NodeId node) {
            return Boolean.TRUE.equals(facts(node).superseded());
        }
    }
}
