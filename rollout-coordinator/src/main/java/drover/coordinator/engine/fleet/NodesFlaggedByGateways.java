package drover.coordinator.engine.fleet;

import drover.model.NodeId;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Nodes of which gateways say one thing, each all of them at once. */
final class NodesFlaggedByGateways {
    private final Map<String, Set<NodeId>> received = new ConcurrentHashMap<>();

    /** This gateway says it of these nodes and of no others. */
    void set(String gateway, Set<NodeId> nodes) {
        received.put(gateway, Set.copyOf(nodes));
    }

    /** What this gateway said is forgotten. */
    void forget(String gateway) {
        received.remove(gateway);
    }

    /** What all others said is forgotten. */
    void retainOnly(Collection<String> gateways) {
        received.keySet().retainAll(gateways);
    }

    /** Those that have said of which nodes it is so, be it of none. */
    Set<String> gateways() {
        return Set.copyOf(received.keySet());
    }

    /** Nodes of which any gateway says it; empty while none has said anything. */
    Optional<Set<NodeId>> nodes() {
        return received.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        received.values().stream()
                                .flatMap(Set::stream)
                                .collect(Collectors.toUnmodifiableSet()));
    }
}
