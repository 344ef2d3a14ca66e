package drover.coordinator.engine.fleet;

import drover.model.NodeId;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where connected nodes are: one seat each, and beside it the one it was preferred to. A gateway
 * that cannot look lets in whoever was the node before, and its machine may have started more
 * agents than the new one; so a seat at a gateway that looks comes first, whatever the node counts
 * (invariant H3). The mirror's alone; only {@link #of} is for whoever does not hold its lock.
 */
final class NodeConnections {
    private final Map<NodeId, NodeConnection> current = new ConcurrentHashMap<>();
    private final Map<NodeId, NodeConnection> alternateConnection = new HashMap<>();
    private final BlockedNodeReportFilter blocked;

    NodeConnections(BlockedNodeReportFilter blocked) {
        this.blocked = blocked;
    }

    @Nullable NodeConnection of(NodeId node) {
        return current.get(node);
    }

    /** A gateway has told of a connection. */
    void recordConnection(NodeId node, NodeConnection received) {
        forgetAlternate(node, received.gateway());
        NodeConnection present = current.get(node);
        if (present == null) {
            current.put(node, received);
            return;
        }
        NodeConnection first = preferred(present, received);
        current.put(node, first);
        if (!present.gateway().equals(received.gateway())) {
            NodeConnection other = first.gateway().equals(received.gateway()) ? present : received;
            alternateConnection.merge(node, other, NodeConnection::later);
        }
    }

    private NodeConnection preferred(NodeConnection present, NodeConnection received) {
        if (isWithoutDatabase(present) == isWithoutDatabase(received)) {
            return NodeConnection.later(present, received);
        }
        return isWithoutDatabase(received) ? present : received;
    }

    private boolean isWithoutDatabase(NodeConnection connection) {
        return blocked.isWithoutDatabase(connection.gateway());
    }

    /** Gateways are cut off that were not: what was passed over for one of them may come first. */
    void preferGatewaysWithDatabase() {
        alternateConnection.replaceAll(
                (node, other) -> {
                    NodeConnection present = current.get(node);
                    if (present == null
                            || !isWithoutDatabase(present)
                            || isWithoutDatabase(other)) {
                        return other;
                    }
                    current.put(node, other);
                    return present;
                });
    }

    /** This gateway does not have the node. */
    void recordDisconnection(NodeId node, String gateway) {
        forgetAlternate(node, gateway);
        NodeConnection present = current.get(node);
        if (present != null && present.gateway().equals(gateway)) {
            failOverToAlternate(node, present);
        }
    }

    /** Such gateways are not heard any more. */
    void disconnectGateways(Predicate<String> gateways) {
        alternateConnection.values().removeIf(connection -> gateways.test(connection.gateway()));
        current.forEach(
                (node, connection) -> {
                    if (gateways.test(connection.gateway())) {
                        failOverToAlternate(node, connection);
                    }
                });
    }

    /**
     * What was passed over is where the node is now if it was connected there later; else a gateway
     * has not noticed yet that its stream is broken (C13).
     */
    private void failOverToAlternate(NodeId node, NodeConnection present) {
        current.remove(node);
        NodeConnection other = alternateConnection.remove(node);
        if (other != null
                && other.node().isLaterThan(present.node())
                && !blocked.rejectIfBlocked(node, other.gateway())) {
            current.put(node, other);
        }
    }

    private void forgetAlternate(NodeId node, String gateway) {
        alternateConnection.computeIfPresent(
                node, (id, connection) -> connection.gateway().equals(gateway) ? null : connection);
    }

    /** Wherever the node is, that is over. Returns where it was; null for nowhere. */
    @Nullable NodeConnection remove(NodeId node) {
        alternateConnection.remove(node);
        return current.remove(node);
    }

    /** The same for a node that nobody may speak for. Returns whether it was anywhere. */
    boolean removeBlocked(NodeId node) {
        NodeConnection other = alternateConnection.get(node);
        if (other != null) {
            boolean _ = blocked.rejectIfBlocked(node, other.gateway());
        }
        NodeConnection present = remove(node);
        return present != null && blocked.rejectIfBlocked(node, present.gateway());
    }

    /** The agent has heard of this attempt, wherever it is. */
    void recordAttempt(NodeId node, long attempt) {
        current.computeIfPresent(node, (id, connection) -> connection.withMinimumAttempt(attempt));
        alternateConnection.computeIfPresent(
                node, (id, connection) -> connection.withMinimumAttempt(attempt));
    }

    /** Nodes at gateways that cannot look. */
    Set<NodeId> nodesAtGatewaysWithoutDatabase() {
        return current.entrySet().stream()
                .filter(node -> isWithoutDatabase(node.getValue()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }
}
