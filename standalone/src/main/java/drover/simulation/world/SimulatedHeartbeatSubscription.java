package drover.simulation.world;

import drover.agent.v1.Heartbeat;
import drover.evaluator.peers.HeartbeatFeed;
import drover.evaluator.peers.HeartbeatProtos;
import drover.gateway.api.ProtobufMessage;
import drover.gateway.session.NodeSnapshot;
import drover.model.NodeId;
import java.time.Duration;
import java.util.Collection;
import java.util.TreeSet;

/** An evaluator's subscription at one gateway. */
final class SimulatedHeartbeatSubscription implements HeartbeatFeed.Subscription {
    private final SimulatedGateway gateway;
    private final HeartbeatFeed.Listener listener;
    private final SimulatedWorld world;
    private final TreeSet<NodeId> nodes = new TreeSet<>();
    private boolean open = true;

    SimulatedHeartbeatSubscription(
            SimulatedGateway gateway, HeartbeatFeed.Listener listener, SimulatedWorld world) {
        this.gateway = gateway;
        this.listener = listener;
        this.world = world;
        gateway.addSubscription(this);
    }

    /** The gateway says what it holds of a node. */
    void publish(NodeId node) {
        if (!open || !nodes.contains(node) || !gateway.isUp()) {
            return;
        }
        NodeSnapshot view = gateway.table().snapshot(node);
        long receivedAt = view.heartbeat().map(beat -> beat.receivedNanos()).orElse(0L);
        world.network.sendInOrder(
                "feed/" + gateway.id,
                () -> {
                    if (!open || !world.network.isConnected(gateway.id, SimulatedEvaluator.NAME)) {
                        return;
                    }
                    if (view.executor().isEmpty()) {
                        listener.onDisconnect(node);
                    }
                    view.heartbeat()
                            .ifPresent(
                                    beat ->
                                            listener.onHeartbeat(
                                                    node,
                                                    HeartbeatProtos.toHeartbeat(
                                                            ProtobufMessage.unwrap(
                                                                    beat.body(), Heartbeat.class)),
                                                    Duration.ofNanos(
                                                            world.time.nanos() - receivedAt)));
                    world.evaluator.sendVerdicts();
                });
    }

    void resubscribe() {
        nodes.forEach(this::publish);
    }

    @Override
    public void add(Collection<NodeId> added) {
        nodes.addAll(added);
        added.stream().sorted().forEach(this::publish);
    }

    @Override
    public void remove(Collection<NodeId> removed) {
        nodes.removeAll(removed);
    }

    @Override
    public void close() {
        open = false;
        gateway.removeSubscription(this);
    }
}
