package drover.coordinator.engine;

import drover.model.NodeId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
        cutOff = Set.copyOf(gateways);
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

    /** Whether what this gateway has of a node counts for nothing. */
    boolean isShutOut(NodeId node, String gateway) {
        boolean again =
                cutOff.contains(gateway) && met.getOrDefault(node, Set.of()).contains(gateway);
        if (barred.contains(node) || again) {
            met.computeIfAbsent(node, id -> new HashSet<>()).add(gateway);
            return true;
        }
        met.computeIfPresent(node, (id, where) -> without(where, gateway));
        return false;
    }

    /** It has looked since, and lets in whom it should. */
    private static @Nullable Set<String> without(Set<String> where, String gateway) {
        where.remove(gateway);
        return where.isEmpty() ? null : where;
    }

    /** Nobody cares for the node any more. */
    void forget(NodeId node) {
        barred.remove(node);
        met.remove(node);
    }
}
