package drover.coordinator.engine.rollout;

import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.observed.FleetView;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.plan.replay.RecordedDecisionInput;
import drover.coordinator.plan.replay.RecordedDecisionInput.RecordedNode;
import drover.coordinator.plan.replay.RecordedDecisionInput.RecordedRequest;
import drover.model.NodeId;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Records what the steps of one rollout are decided from. Remembers what it has recorded, so that a
 * step costs what has changed, not what there is.
 */
final class DecisionInputRecordBuilder {
    private final RolloutTimeouts timings;
    private final Map<NodeId, RecordedNode> recorded = new HashMap<>();
    private Map<NodeId, RecordedNode> uncommitted = Map.of();
    private boolean loaded = true; // the next record carries everything

    DecisionInputRecordBuilder(RolloutTimeouts timings) {
        this.timings = timings;
    }

    /** The rollout was loaded, or will be: nothing that was recorded can be built on. */
    void reset() {
        recorded.clear();
        loaded = true;
    }

    /**
     * The record of a step that is about to be committed.
     *
     * @param fleet the very view that it was decided from
     * @param request null when the planner took it by itself
     */
    RecordedDecisionInput buildRecord(
            Rollout before, FleetView fleet, Instant now, @Nullable RecordedRequest request) {
        Map<NodeId, RecordedNode> changed = new HashMap<>();
        for (NodeId node : before.nodes().keySet()) {
            RecordedNode facts = RecordedNode.of(fleet, node);
            if (!facts.equals(recorded.get(node))) {
                changed.put(node, facts);
            }
        }
        uncommitted = changed;
        return new RecordedDecisionInput(
                RecordedDecisionInput.VERSION,
                now,
                timings,
                fleet.completeViewSince(),
                fleet.visibilityLostSince(),
                fleet.evaluatorConnectedSince(),
                fleet.evaluatorUnavailableSince(),
                changed,
                loaded ? before : null,
                request);
    }

    /** The step is committed, and its record with it. */
    void markCommitted() {
        recorded.putAll(uncommitted);
        uncommitted = Map.of();
        loaded = false;
    }
}
