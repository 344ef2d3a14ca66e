package drover.simulation.world;

import drover.coordinator.peers.GatewayLink;
import drover.coordinator.peers.GatewayProtos;
import drover.gateway.api.LeaderProtos;
import drover.gateway.api.ProtobufMessage;
import drover.gateway.engine.leader.LeaderMessage;
import drover.gateway.engine.leader.LeaderStreamWriter;
import drover.gateway.engine.stream.MessageStream;
import drover.gateway.session.AgentMessage;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.node.v1.AttachResponse;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** The stream between a leader and a gateway. */
final class SimulatedLeaderStream implements GatewayLink, MessageStream<LeaderMessage> {
    private static final Duration DETECTION = Duration.ofSeconds(20); // keep-alive, at the latest

    private final SimulatedGateway gateway;
    private final SimulatedCoordinator leader;
    private final SimulatedWorld world;
    private final long epoch;
    private final Events events;
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
            Events events) {
        this.gateway = gateway;
        this.leader = leader;
        this.world = world;
        this.epoch = epoch;
        this.events = events;
        this.name = leader.id + "/" + gateway.id + "/" + world.nextStream();
        this.gatewayStarts = gateway.startCount();
        this.line = new LeaderStreamWriter(gateway.table(), this, writer -> {});
        if (reaches()) {
            world.network.sendInOrder(name + ">", () -> attach(who));
        } else {
            world.time.after(Duration.ofSeconds(2), () -> leaderDisconnected(false));
        }
    }

    boolean isOf(SimulatedCoordinator coordinator) {
        return leader == coordinator;
    }

    boolean leadsTo(SimulatedGateway other) {
        return gateway == other;
    }

    /** Whether the leader has a whole snapshot from the gateway and knows of no loss since. */
    boolean hasCompleteSnapshot() {
        return leaderOpen && responded;
    }

    private boolean reaches() {
        return gateway.isUp() && world.network.isConnected(leader.id, gateway.id);
    }

    private void attach(String who) {
        if (!gateway.isUp() || gateway.startCount() != gatewayStarts || !leaderOpen) {
            leaderDisconnected(false);
            return;
        }
        try {
            gatewayOpen = true;
            gateway.addLeader(this);
            gateway.leadership().attach(epoch, who, line);
            send(new LeaderMessage.Opened(epoch));
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
    public boolean send(LeaderMessage message) {
        AttachResponse response = LeaderProtos.render(message, gateway.id);
        if (!world.network.isConnected(leader.id, gateway.id)) {
            breakBoth();
            return false;
        }
        world.network.sendInOrder(name + "<", () -> leader.run(() -> deliverToLeader(response)));
        return true;
    }

    private void deliverToLeader(AttachResponse response) {
        if (leaderOpen) {
            responded |= response.hasSnapshotEnd();
            GatewayProtos.dispatch(response, events);
        }
    }

    @Override
    public void end(Refused reason) {
        gatewayOpen = false;
        gateway.removeLeader(this);
        boolean stale = reason.code() == RefusalCode.STALE_EPOCH;
        world.network.sendInOrder(name + "<", () -> leaderDisconnected(stale));
    }

    /** The gateway is gone with all it knew. */
    void gatewayStopped() {
        gatewayOpen = false;
        world.time.after(
                world.random.between(Duration.ZERO, DETECTION), () -> leaderDisconnected(false));
    }

    private void breakBoth() {
        gatewayDisconnected();
        world.time.after(
                world.random.between(Duration.ZERO, DETECTION), () -> leaderDisconnected(false));
    }

    private void leaderDisconnected(boolean stale) {
        leader.run(
                () -> {
                    if (leaderOpen) {
                        leaderOpen = false;
                        events.onClosed(stale);
                    }
                });
    }

    private void gatewayDisconnected() {
        if (gatewayOpen) {
            gatewayOpen = false;
            gateway.removeLeader(this);
            gateway.leadership().detach(line);
        }
    }

    /** The leader's process died: the gateway notices when it does. */
    void leaderDied() {
        leaderOpen = false;
        world.time.after(world.random.between(Duration.ZERO, DETECTION), this::gatewayDisconnected);
    }

    @Override
    public void sendInterest(long revision, Collection<NodeId> add, Collection<NodeId> remove) {
        List<NodeId> added = add.stream().sorted().toList();
        List<NodeId> removed = remove.stream().sorted().toList();
        sendToGateway(
                true, () -> gateway.leadership().updateInterest(line, revision, added, removed));
    }

    @Override
    public void send(List<Delivery> deliveries) {
        deliveries.stream()
                .sorted(Comparator.comparing(Delivery::node))
                .forEach(
                        delivery -> {
                            world.observer().sent(delivery);
                            sendToGateway(false, () -> deliver(delivery));
                        });
    }

    private void deliver(Delivery delivery) {
        drover.node.v1.Delivery message = GatewayProtos.delivery(delivery);
        AgentMessage outgoing =
                switch (message.getItemCase()) {
                    case COMMAND ->
                            new AgentMessage.Command(new ProtobufMessage(message.getCommand()));
                    case WITHDRAW ->
                            new AgentMessage.Withdrawal(new ProtobufMessage(message.getWithdraw()));
                    case STOP ->
                            new AgentMessage.Stop(
                                    new ProtobufMessage(message.getStop().getStopAgent()));
                    case ITEM_NOT_SET -> throw new IllegalStateException("Nothing to deliver");
                };
        gateway.leadership()
                .deliver(line, epoch, delivery.node(), message.getSessionId(), outgoing);
    }

    @Override
    public void acknowledge(List<Acknowledgement> acknowledgements) {
        acknowledgements.stream()
                .sorted(Comparator.comparing(Acknowledgement::node))
                .forEach(
                        ack -> {
                            world.observer().acknowledgementSent(ack);
                            sendToGateway(false, () -> acknowledge(ack));
                        });
    }

    private void acknowledge(Acknowledgement ack) {
        gateway.leadership()
                .acknowledge(
                        line,
                        ack.node(),
                        new AgentMessage.Acknowledgement(
                                ack.attempt(), ack.sequence(), ack.successorSeen()));
    }

    private void sendToGateway(boolean inOrder, Runnable what) {
        if (!leaderOpen) {
            return;
        }
        if (!reaches()) {
            breakBoth();
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
        world.network.sendInOrder(name + ">", this::gatewayDisconnected);
    }
}
