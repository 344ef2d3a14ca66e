package drover.coordinator.plan.replay;

import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.AttemptStatus;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.FleetView.NodeAttemptsAndReservation;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.observed.NodeView;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.observed.StandbyAgent;
import drover.coordinator.plan.request.OperatorRequest;
import drover.model.NodeId;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Everything that one committed step of a rollout was decided from (invariant A20). What did not
 * change since the step before is left out.
 *
 * @param version {@link #VERSION} of the code that decided
 * @param completeSince see {@link FleetView#completeViewSince}
 * @param blindSince see {@link FleetView#visibilityLostSince}
 * @param healthSince see {@link FleetView#evaluatorConnectedSince}
 * @param healthLostSince see {@link FleetView#evaluatorUnavailableSince}
 * @param changed what was known of each node, for those of which it has changed
 * @param before the rollout before the step, where it had just been loaded; null when it is what
 *     the step before left
 * @param request the request that was decided; null when the planner took a step by itself
 */
public record RecordedDecisionInput(
        int version,
        Instant now,
        RolloutTimeouts timings,
        @Nullable Instant completeSince,
        @Nullable Instant blindSince,
        @Nullable Instant healthSince,
        @Nullable Instant healthLostSince,
        Map<NodeId, RecordedNode> changed,
        @Nullable Rollout before,
        @Nullable RecordedRequest request) {
    /** Raised when the same inputs shall lead to other decisions from now on. */
    public static final int VERSION = 6;

    public RecordedDecisionInput {
        changed = Map.copyOf(changed);
    }

    /** The nodes of which a status is recorded. */
    public Set<NodeId> nodesWithStatus() {
        return changed.entrySet().stream()
                .filter(entry -> entry.getValue().report() != null)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /**
     * What was known of a node.
     *
     * @param report null when its agent had said nothing
     * @param verdict null when there was none
     * @param superseded see {@link FleetView#isUpgradeSuperseded}; absent before version 2
     * @param standby null when the node has one agent, as nearly always
     * @param heardSince see {@link FleetView#healthDataSince}; null where nothing is heard, nor was
     *     until another evaluator was asked
     * @param unheardSince see {@link FleetView#noHealthDataSince}; null where something is heard,
     *     or never was
     * @param notHealthySince see {@link FleetView#notHealthySince}; null while it is healthy
     */
    public record RecordedNode(
            NodeView view,
            @Nullable AttemptStatus report,
            @Nullable HealthVerdict verdict,
            NodeAttemptsAndReservation guard,
            @Nullable Boolean superseded,
            @Nullable StandbyAgent standby,
            @Nullable Instant heardSince,
            @Nullable Instant unheardSince,
            @Nullable Instant notHealthySince) {
        static final RecordedNode NOTHING =
                new RecordedNode(
                        new NodeView.Unknown(),
                        null,
                        null,
                        NodeAttemptsAndReservation.FRESH,
                        null,
                        null,
                        null,
                        null,
                        null);

        /** What a view knows of a node. */
        public static RecordedNode of(FleetView fleet, NodeId node) {
            return new RecordedNode(
                    fleet.node(node),
                    fleet.latestStatus(node).orElse(null),
                    fleet.verdict(node).orElse(null),
                    fleet.reservation(node),
                    fleet.isUpgradeSuperseded(node)
                            ? true
                            : null, // rare: costs nothing where it is not
                    fleet.standby(node).orElse(null),
                    fleet.healthDataSince(node),
                    fleet.noHealthDataSince(node),
                    fleet.notHealthySince(node));
        }
    }

    /**
     * A request of an operator.
     *
     * @param ruledOut true when it was refused before the rules were asked, or could not be carried
     *     out: it had expired, or the chain was taken
     * @param actor who asked; absent before version 3
     */
    public record RecordedRequest(
            OperatorRequest request, String reason, boolean ruledOut, String actor) {
        public RecordedRequest {
            actor = actor == null ? "" : actor;
        }
    }
}
