package drover.simulation.rules;

import drover.coordinator.store.incident.LeaderIncidentStore;
import drover.coordinator.store.request.RolloutRequestStore.RequestStatus;
import drover.model.NodeId;
import drover.simulation.world.SimulatedWorld;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A node that is out of service is given no work, and nothing waits for it (A4, R1). */
public final class RetirementInvariants {
    private final SimulatedWorld world;
    private final SafetyInvariants safety;
    private final Map<NodeId, UUID> requested = new HashMap<>();

    RetirementInvariants(SimulatedWorld world, SafetyInvariants safety) {
        this.world = world;
        this.safety = safety;
    }

    void recordRequest(NodeId node, UUID request) {
        requested.put(node, request);
    }

    /** Whether its credential is gone. */
    boolean isRetirementRequested(NodeId node) {
        return requested.containsKey(node);
    }

    /** Whether its retirement is committed. */
    boolean isRetired(NodeId node) {
        return Optional.ofNullable(requested.get(node))
                .flatMap(request -> world.store.nodeRequestStore().requestStatus(request))
                .map(RequestStatus::state)
                .filter("applied"::equals)
                .isPresent();
    }

    /** Work is allotted to a node, or sent to it. */
    void requireNotRetired(NodeId node) {
        safety.recordViolationUnless(
                !isRetired(node), "A4: node " + node + " is retired, and is given work");
    }

    /** Once everything has ended: what was asked is done, and nothing is told of the node. */
    public void checkFinalState() {
        for (NodeId node : requested.keySet()) {
            safety.recordViolationUnless(
                    isRetired(node), "R1: node " + node + " is not retired in the end");
            world.counts.count("retired");
            for (LeaderIncidentStore.OpenIncident one :
                    world.store.incidents().allOpenIncidents()) {
                safety.recordViolationUnless(
                        !one.node().equals(node)
                                || IncidentLifecycleInvariants.isStallIncidentOfPause(world, one),
                        "H3: " + one + " stands of a retired node");
            }
        }
    }
}
