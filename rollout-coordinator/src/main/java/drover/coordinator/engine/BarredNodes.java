package drover.coordinator.engine;

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
final class BarredNodes {
    private final Set<NodeId> barred = new HashSet<>();
    private final Map<NodeId, Set<String>> met = new HashMap<>(); // node -> gateways
    private Set<String> cutOff = Set.of();

    /** Gateways that are heard, and have not said to the database for a while that they live. */
    void cutOff(Collection<String> gateways) {
        Set<String> looking = new HashSet<>(cutOff);
        looking.removeAll(gateways);
        cutOff = Set.copyOf(gateways);
        List.copyOf(met.keySet()).forEach(node -> forget(node, looking::contains));
    }

    boolean isCutOff(String gateway) {
        return cutOff.contains(gateway);
    }

    void bar(Collection<NodeId> nodes) {
        barred.addAll(nodes);
    }

    void unbar(Collection<NodeId> nodes) {
        barred.removeAll(nodes);
    }

    boolean isBarred(NodeId node) {
        return barred.contains(node);
    }

    Set<NodeId> all() {
        return Set.copyOf(barred);
    }

    /** Whether who was the node before may still be at a gateway that cannot look. */
    boolean mayHaveAnother(NodeId node) {
        return met.getOrDefault(node, Set.of()).stream().anyMatch(this::isCutOff);
    }

    /** Whether what this gateway has of a node counts for nothing. */
    boolean isShutOut(NodeId node, String gateway) {
        boolean again =
                cutOff.contains(gateway) && met.getOrDefault(node, Set.of()).contains(gateway);
        if (barred.contains(node) || again) {
            met.computeIfAbsent(node, id -> new HashSet<>()).add(gateway);
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
        barred.remove(node);
        forget(node, gateway -> !cutOff.contains(gateway));
    }

    private void forget(NodeId node, Predicate<String> gateways) {
        met.computeIfPresent(
                node,
                (id, where) -> {
                    where.removeIf(gateways);
                    return where.isEmpty() ? null : where;
                });
    }
}
