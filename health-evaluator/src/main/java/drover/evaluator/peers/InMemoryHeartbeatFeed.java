package drover.evaluator.peers;

import drover.evaluator.assess.Heartbeat;
import drover.kit.grpc.Address;
import drover.model.NodeId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The double of gateways: says what it is told to say, to whoever watches, on the thread that tells
 * it.
 */
public final class InMemoryHeartbeatFeed implements HeartbeatFeed {
    private final List<InMemorySubscription> subscriptions = new CopyOnWriteArrayList<>();
    private final Map<NodeId, GatewayReport> latest = new ConcurrentHashMap<>();

    private record GatewayReport(Address gateway, Optional<Heartbeat> heartbeat) {}

    /** A node sends a heartbeat through a gateway. */
    public void sendHeartbeat(Address gateway, NodeId node, Heartbeat heartbeat) {
        publish(node, new GatewayReport(gateway, Optional.of(heartbeat)));
    }

    /** A node leaves a gateway. */
    public void disconnect(Address gateway, NodeId node) {
        publish(node, new GatewayReport(gateway, Optional.empty()));
    }

    /** The nodes that somebody watches at a gateway. */
    public Set<NodeId> watchedNodes(Address gateway) {
        Set<NodeId> watched = ConcurrentHashMap.newKeySet();
        subscriptions.stream()
                .filter(held -> held.gateway.equals(gateway))
                .forEach(held -> watched.addAll(held.nodes));
        return watched;
    }

    private void publish(NodeId node, GatewayReport reported) {
        latest.put(node, reported);
        subscriptions.forEach(held -> held.send(node, reported));
    }

    @Override
    public Subscription subscribe(Address gateway, Listener listener) {
        InMemorySubscription held = new InMemorySubscription(gateway, listener);
        subscriptions.add(held);
        return held;
    }

    private final class InMemorySubscription implements Subscription {
        private final Address gateway;
        private final Listener listener;
        private final Set<NodeId> nodes = ConcurrentHashMap.newKeySet();

        InMemorySubscription(Address gateway, Listener listener) {
            this.gateway = gateway;
            this.listener = listener;
        }

        void send(NodeId node, GatewayReport reported) {
            if (nodes.contains(node) && reported.gateway().equals(gateway)) {
                reported.heartbeat()
                        .ifPresentOrElse(
                                beat -> listener.onHeartbeat(node, beat, Duration.ZERO),
                                () -> listener.onDisconnect(node));
            }
        }

        @Override
        public void add(Collection<NodeId> added) {
            nodes.addAll(added);
            added.forEach(node -> send(node, reportFor(node)));
        }

        private GatewayReport reportFor(NodeId node) {
            GatewayReport nothing = new GatewayReport(gateway, Optional.empty());
            GatewayReport reported = latest.getOrDefault(node, nothing);
            return reported.gateway().equals(gateway) ? reported : nothing;
        }

        @Override
        public void remove(Collection<NodeId> removed) {
            nodes.removeAll(removed);
        }

        @Override
        public void close() {
            subscriptions.remove(this);
        }
    }
}
