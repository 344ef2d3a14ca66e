package drover.coordinator.engine.fleet;

import drover.model.NodeId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Nodes that nobody may speak for, as the database said last, and where they were met nevertheless.
 * A gateway that is cut off from the database lets in whoever it let in before; so what it tells of
 * a node that was met there while it was barred counts for nothing until it is registered again,
 * also when the node's machine was enrolled anew meanwhile (invariant H3). The mirror's alone.
 */
final class BlockedNodeReportFilter {
    private final Set<NodeId> blocked = new HashSet<>();
    private final Map<NodeId, Set<String>> seenAtGateways = new HashMap<>(); // node -> gateways
    private Set<String> gatewaysWithoutDatabase = Set.of();

    /** Gateways that are heard, and have not said to the database for a while that they live. */
    void setGatewaysWithoutDatabase(Collection<String> gateways) {
        Set<String> looking = new HashSet<>(gatewaysWithoutDatabase);
        looking.removeAll(gateways);
        gatewaysWithoutDatabase = Set.copyOf(gateways);
        List.copyOf(seenAtGateways.keySet()).forEach(node -> forget(node, looking::contains));
    }

    boolean isWithoutDatabase(String gateway) {
        return gatewaysWithoutDatabase.contains(gateway);
    }

    void block(Collection<NodeId> nodes) {
        blocked.addAll(nodes);
    }

    void unblock(Collection<NodeId> nodes) {
        blocked.removeAll(nodes);
    }

    boolean isBlocked(NodeId node) {
        return blocked.contains(node);
    }

    Set<NodeId> allBlocked() {
        return Set.copyOf(blocked);
    }

    /** Whether who was the node before may still be at a gateway that cannot look. */
    boolean mayHaveStaleConnection(NodeId node) {
        return seenAtGateways.getOrDefault(node, Set.of()).stream()
                .anyMatch(this::isWithoutDatabase);
    }

    /** Whether what this gateway has of a node counts for nothing. */
    boolean rejectIfBlocked(NodeId node, String gateway) {
        boolean again =
                gatewaysWithoutDatabase.contains(gateway)
                        && seenAtGateways.getOrDefault(node, Set.of()).contains(gateway);
        if (blocked.contains(node) || again) {
            seenAtGateways.computeIfAbsent(node, id -> new HashSet<>()).add(gateway);
            return true;
        }
        forget(node, gateway::equals); // it has looked since, and lets in whom it should
        return false;
    }

    /**
     * Nobody cares for the node any more. Where it was met is kept as long as nobody looks there:
     * the next rollout would find who was the node before.
     */
    void forget(NodeId node) {
        blocked.remove(node);
        forget(node, gateway -> !gatewaysWithoutDatabase.contains(gateway));
    }

    private void forget(NodeId node, Predicate<String> gateways) {
        seenAtGateways.computeIfPresent(
                node,
                (id, where) -> {
                    where.removeIf(gateways);
                    return where.isEmpty() ? null : where;
                });
    }
}
