package drover.standalone.simulation;

import drover.coordinator.store.IncidentLedger;
import drover.coordinator.store.RequestStore.Standing;
import drover.model.NodeId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** A node that is out of service is given no work, and nothing waits for it (A4, R1). */
final class RetireRules {
    private final World world;
    private final Safety safety;
    private final Map<NodeId, UUID> asked = new HashMap<>();

    RetireRules(World world, Safety safety) {
        this.world = world;
        this.safety = safety;
    }

    void asked(NodeId node, UUID request) {
        asked.put(node, request);
    }

    /** Whether its credential is gone. */
    boolean isAsked(NodeId node) {
        return asked.containsKey(node);
    }

    private boolean isRetired(NodeId node) {
        return Optional.ofNullable(asked.get(node))
                .flatMap(request -> world.store.nodeRequestStore().standing(request))
                .map(Standing::state)
                .filter("applied"::equals)
                .isPresent();
    }

    /** Work is allotted to a node, or sent to it. */
    void workFor(NodeId node) {
        safety.require(!isRetired(node), "A4: node " + node + " is retired, and is given work");
    }

    /** Once everything has ended: what was asked is done, and nothing is told of the node. */
    void atRest() {
        for (NodeId node : asked.keySet()) {
            safety.require(isRetired(node), "R1: node " + node + " is not retired in the end");
            world.tally.count("retired");
            for (IncidentLedger.Standing one : world.store.incidents().allStanding()) {
                safety.require(
                        !one.node().equals(node) || IncidentWatch.isOfAPause(world, one),
                        "H3: " + one + " stands of a retired node");
            }
        }
    }
}
