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
    private final List<Held> subscriptions = new CopyOnWriteArrayList<>();
    private final Map<NodeId, Said> latest = new ConcurrentHashMap<>();

    private record Said(Address gateway, Optional<Heartbeat> heartbeat) {}

    /** A node sends a heartbeat through a gateway. */
    public void beat(Address gateway, NodeId node, Heartbeat heartbeat) {
        say(node, new Said(gateway, Optional.of(heartbeat)));
    }

    /** A node leaves a gateway. */
    public void leave(Address gateway, NodeId node) {
        say(node, new Said(gateway, Optional.empty()));
    }

    /** The nodes that somebody watches at a gateway. */
    public Set<NodeId> watchedAt(Address gateway) {
        Set<NodeId> watched = ConcurrentHashMap.newKeySet();
        subscriptions.stream()
                .filter(held -> held.gateway.equals(gateway))
                .forEach(held -> watched.addAll(held.nodes));
        return watched;
    }

    private void say(NodeId node, Said said) {
        latest.put(node, said);
        subscriptions.forEach(held -> held.tell(node, said));
    }

    @Override
    public Subscription subscribe(Address gateway, Listener listener) {
        Held held = new Held(gateway, listener);
        subscriptions.add(held);
        return held;
    }

    private final class Held implements Subscription {
        private final Address gateway;
        private final Listener listener;
        private final Set<NodeId> nodes = ConcurrentHashMap.newKeySet();

        Held(Address gateway, Listener listener) {
            this.gateway = gateway;
            this.listener = listener;
        }

        void tell(NodeId node, Said said) {
            if (nodes.contains(node) && said.gateway().equals(gateway)) {
                said.heartbeat()
                        .ifPresentOrElse(
                                beat -> listener.heard(node, beat, Duration.ZERO),
                                () -> listener.gone(node));
            }
        }

        @Override
        public void add(Collection<NodeId> added) {
            nodes.addAll(added);
            added.forEach(node -> tell(node, saidHere(node)));
        }

        private Said saidHere(NodeId node) {
            Said nothing = new Said(gateway, Optional.empty());
            Said said = latest.getOrDefault(node, nothing);
            return said.gateway().equals(gateway) ? said : nothing;
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
