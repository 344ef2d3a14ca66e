package drover.simulation.rules;

import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.coordinator.plan.replay.RecordedDecisionInput;
import drover.coordinator.plan.replay.RecordedDecisionInput.RecordedNode;
import drover.coordinator.store.commit.Commit;
import drover.model.NodeId;
import drover.model.RolloutId;
import java.util.HashMap;
import java.util.Map;

/** What leaders knew of the nodes when they decided, as they recorded it with every commit. */
final class RecordedLeaderVerdicts {
    private final Map<RolloutId, Map<NodeId, RecordedNode>> known = new HashMap<>();

    void recordCommit(Commit commit) {
        RecordedDecisionInput decision = commit.decision();
        if (decision == null) {
            return; // not kept: nothing is known to have changed
        }
        Map<NodeId, RecordedNode> ofRollout =
                known.computeIfAbsent(commit.after().id(), id -> new HashMap<>());
        if (decision.before() != null) {
            ofRollout.clear(); // whoever loads knows nothing yet, and records all of it
        }
        ofRollout.putAll(decision.changed());
    }

    boolean isUnhealthy(RolloutId rollout, NodeUpgrade node) {
        RecordedNode facts = known.getOrDefault(rollout, Map.of()).get(node.id());
        return facts != null
                && facts.verdict() instanceof HealthVerdict.Unhealthy unhealthy
                && unhealthy.attempt() == node.attempt();
    }
}
