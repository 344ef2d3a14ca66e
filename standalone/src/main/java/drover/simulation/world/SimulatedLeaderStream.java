package drover.simulation.world;

import drover.coordinator.peers.GatewayLink;
import drover.coordinator.peers.GatewayProtoDispatcher;
import drover.gateway.api.LeaderProtos;
import drover.gateway.api.ProtobufMessage;
import drover.gateway.engine.leader.LeaderStreamWriter;
import drover.gateway.engine.leader.MessageToLeader;
import drover.gateway.engine.stream.BlockingServiceStream;
import drover.gateway.session.MessageToAgent;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.node.v1.AttachResponse;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** The stream between a leader and a gateway. */
final class SimulatedLeaderStream implements GatewayLink, BlockingServiceStream<MessageToLeader> {
    private static final Duration DETECTION = Duration.ofSeconds(20); // keep-alive, at the latest

    private final SimulatedGateway gateway;
    private final SimulatedCoordinator leader;
    private final SimulatedWorld world;
    private final long epoch;
    private final Listener events;
    private final LeaderStreamWriter line;
    private final int gatewayStarts;
    private final String name;
    private boolean leaderOpen = true;
    private boolean gatewayOpen;
    private boolean responded;

    SimulatedLeaderStream(
            SimulatedGateway gateway,
            SimulatedCoordinator leader,
            SimulatedWorld world,
            long epoch,
            String who,
            Listener events) {
        this.gateway = gateway;
        this.leader = leader;
        this.world = world;
        this.epoch = epoch;
        this.events = events;
        this.name = leader.id + "/" + gateway.id + "/" + world.nextStream();
        this.gatewayStarts = gateway.restartCount();
        this.line = new LeaderStreamWriter(gateway.table(), this, writer -> {});
        if (canReachGateway()) {
            world.network.sendInOrder(name + ">", () -> attach(who));
        } else {
            world.time.scheduleAfter(Duration.ofSeconds(2), () -> disconnectLeaderSide(false));
        }
    }

    boolean isOf(SimulatedCoordinator coordinator) {
        return leader == coordinator;
    }

    boolean connectsTo(SimulatedGateway other) {
        return gateway == other;
    }

    /** Whether the leader has a whole snapshot from the gateway and knows of no loss since. */
    boolean hasCompleteSnapshot() {
        return leaderOpen && responded;
    }

    private boolean canReachGateway() {
        return gateway.isUp() && world.network.isConnected(leader.id, gateway.id);
    }

    private void attach(String who) {
        if (!gateway.isUp() || gateway.restartCount() != gatewayStarts || !leaderOpen) {
            disconnectLeaderSide(false);
            return;
        }
        try {
            gatewayOpen = true;
            gateway.addLeader(this);
            gateway.leadership().attach(epoch, who, line);
            send(new MessageToLeader.AttachedWithHighestEpoch(epoch));
            flush();
        } catch (Refused e) {
            end(e);
        }
    }

    /** Writes what the real line has to say. */
    void flush() {
        try {
            if (gatewayOpen) {
                line.writePending();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("Nothing waits here", e);
        }
    }

    @Override
    public boolean send(MessageToLeader message) {
        AttachResponse response = LeaderProtos.toAttachResponse(message, gateway.id);
        if (!world.network.isConnected(leader.id, gateway.id)) {
            disconnectBothSides();
            return false;
        }
        world.network.sendInOrder(name + "<", () -> leader.run(() -> deliverToLeader(response)));
        return true;
    }

    private void deliverToLeader(AttachResponse response) {
        if (leaderOpen) {
            responded |= response.hasSnapshotEnd();
            GatewayProtoDispatcher.dispatch(response, events);
        }
    }

    @Override
    public void end(Refused reason) {
        gatewayOpen = false;
        gateway.removeLeader(this);
        boolean stale = reason.code() == RefusalCode.STALE_EPOCH;
        world.network.sendInOrder(name + "<", () -> disconnectLeaderSide(stale));
    }

    /** The gateway is gone with all it knew. */
    void onGatewayStopped() {
        gatewayOpen = false;
        world.time.scheduleAfter(
                world.random.between(Duration.ZERO, DETECTION), () -> disconnectLeaderSide(false));
    }

    private void disconnectBothSides() {
        disconnectGatewaySide();
        world.time.scheduleAfter(
                world.random.between(Duration.ZERO, DETECTION), () -> disconnectLeaderSide(false));
    }

    private void disconnectLeaderSide(boolean stale) {
        leader.run(
                () -> {
                    if (leaderOpen) {
                        leaderOpen = false;
                        events.onClosed(stale);
                    }
                });
    }

    private void disconnectGatewaySide() {
        if (gatewayOpen) {
            gatewayOpen = false;
            gateway.removeLeader(this);
            gateway.leadership().detach(line);
        }
    }

    /** The leader's process died: the gateway notices when it does. */
    void onLeaderDied() {
        leaderOpen = false;
        world.time.scheduleAfter(
                world.random.between(Duration.ZERO, DETECTION), this::disconnectGatewaySide);
    }

    @Override
    public void sendInterest(long revision, Collection<NodeId> add, Collection<NodeId> remove) {
        List<NodeId> added = add.stream().sorted().toList();
        List<NodeId> removed = remove.stream().sorted().toList();
        sendToGateway(
                true,
                () -> gateway.leadership().updateInterestIfCurrent(line, revision, added, removed));
    }

    @Override
    public void send(List<MessageToNode> deliveries) {
        deliveries.stream()
                .sorted(Comparator.comparing(MessageToNode::node))
                .forEach(
                        delivery -> {
                            world.observer().deliverySent(delivery);
                            sendToGateway(false, () -> deliver(delivery));
                        });
    }

    private void deliver(MessageToNode delivery) {
        drover.node.v1.Delivery message = GatewayProtoDispatcher.toDelivery(delivery);
        MessageToAgent outgoing =
                switch (message.getItemCase()) {
                    case COMMAND ->
                            new MessageToAgent.Command(new ProtobufMessage(message.getCommand()));
                    case WITHDRAW ->
                            new MessageToAgent.Withdrawal(
                                    new ProtobufMessage(message.getWithdraw()));
                    case STOP ->
                            new MessageToAgent.ExitForSuccessor(
                                    new ProtobufMessage(message.getStop().getStopAgent()));
                    case ITEM_NOT_SET -> throw new IllegalStateException("Nothing to deliver");
                };
        gateway.leadership()
                .deliverIfCurrent(line, epoch, delivery.node(), message.getSessionId(), outgoing);
    }

    @Override
    public void acknowledge(List<StatusAcknowledgementToAgent> acknowledgements) {
        acknowledgements.stream()
                .sorted(Comparator.comparing(StatusAcknowledgementToAgent::node))
                .forEach(
                        ack -> {
                            world.observer().acknowledgementSent(ack);
                            sendToGateway(false, () -> acknowledge(ack));
                        });
    }

    private void acknowledge(StatusAcknowledgementToAgent ack) {
        gateway.leadership()
                .acknowledgeIfCurrent(
                        line,
                        ack.node(),
                        new MessageToAgent.Acknowledgement(
                                ack.attempt(), ack.sequence(), ack.successorSeen()));
    }

    private void sendToGateway(boolean inOrder, Runnable what) {
        if (!leaderOpen) {
            return;
        }
        if (!canReachGateway()) {
            disconnectBothSides();
            return;
        }
        Runnable arrival =
                () -> {
                    if (gatewayOpen) {
                        what.run();
                        flush();
                    }
                };
        if (inOrder) {
            world.network.sendInOrder(name + ">", arrival);
        } else {
            world.network.sendUnreliably(arrival);
        }
    }

    @Override
    public void close() {
        leaderOpen = false;
        world.network.sendInOrder(name + ">", this::disconnectGatewaySide);
    }
}
