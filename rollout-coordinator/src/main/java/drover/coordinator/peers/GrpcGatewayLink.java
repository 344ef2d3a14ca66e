package drover.coordinator.peers;

import drover.kit.grpc.Address;
import drover.kit.grpc.ChannelFactory;
import drover.kit.grpc.RefusalParser;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.node.v1.Acks;
import drover.node.v1.AttachRequest;
import drover.node.v1.AttachResponse;
import drover.node.v1.Deliveries;
import drover.node.v1.GatewayControlServiceGrpc;
import drover.node.v1.NodeAck;
import drover.node.v1.Open;
import drover.node.v1.WatchedNodes;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A gateway over gRPC. Deliveries and acknowledgements wait in one slot per node, interest in
 * order.
 */
public final class GrpcGatewayLink extends PullingOutboundStream<AttachRequest, AttachResponse>
        implements GatewayLink {

    private static final int MOST_ENTRIES = 1_000; // a message, as the contract says
    private static final int MOST_BYTES =
            3 * 1024 * 1024; // gRPC refuses messages of more than 4 MiB; a quarter is left free
    private static final int MAX_INBOUND = 16 << 20; // gateways split at 1 MiB
    private static final int ENTRY_OVERHEAD = 16; // tag and length of an entry

    private final Listener events;
    private final ManagedChannel channel;
    private final CommandSigner signer;
    private final Deque<AttachRequest> ordered = newQueue();
    private final Map<NodeId, MessageToNode> deliveries = new LinkedHashMap<>();
    private final Map<NodeId, StatusAcknowledgementToAgent> acknowledgements =
            new LinkedHashMap<>();

    private GrpcGatewayLink(ManagedChannel channel, Listener events, CommandSigner signer) {
        this.channel = channel;
        this.events = events;
        this.signer = signer;
    }

    /** Attaches over gRPC, and signs what it sends as it is sent. */
    public static Connector signingConnector(ChannelFactory channels, CommandSigner signer) {
        return (address, epoch, leader, events) ->
                attach(
                        new GrpcGatewayLink(channels.open(Address.parse(address)), events, signer),
                        epoch,
                        leader);
    }

    private static GatewayLink attach(GrpcGatewayLink link, long epoch, String leader) {
        link.ordered.add(
                AttachRequest.newBuilder()
                        .setOpen(Open.newBuilder().setEpoch(epoch).setLeader(leader))
                        .build());
        GatewayControlServiceGrpc.newStub(link.channel)
                .withMaxInboundMessageSize(MAX_INBOUND)
                .attach(link);
        return link;
    }

    @Override
    public void sendInterest(long revision, Collection<NodeId> add, Collection<NodeId> remove) {
        synchronized (this) {
            List<NodeId> adding = List.copyOf(add);
            for (int from = 0; from < adding.size(); from += MOST_ENTRIES) {
                List<NodeId> part =
                        adding.subList(from, Math.min(adding.size(), from + MOST_ENTRIES));
                boolean last = from + MOST_ENTRIES >= adding.size();
                ordered.add(interestMessage(last ? revision : 0, part, last ? remove : List.of()));
            }
            if (adding.isEmpty()) {
                ordered.add(interestMessage(revision, List.of(), remove));
            }
        }
        flush();
    }

    private static AttachRequest interestMessage(
            long revision, Collection<NodeId> add, Collection<NodeId> remove) {
        return AttachRequest.newBuilder()
                .setWatchedNodes(
                        WatchedNodes.newBuilder()
                                .setRevision(revision)
                                .addAllAdd(add.stream().map(NodeId::value).toList())
                                .addAllRemove(remove.stream().map(NodeId::value).toList()))
                .build();
    }

    @Override
    public void send(List<MessageToNode> wanted) {
        synchronized (this) {
            wanted.forEach(delivery -> deliveries.put(delivery.node(), delivery));
        }
        flush();
    }

    @Override
    public synchronized void dropCommands(Collection<NodeId> nodes) {
        for (NodeId node : nodes) {
            if (deliveries.get(node) instanceof MessageToNode.Command) {
                deliveries.remove(node);
            }
        }
    }

    @Override
    public void acknowledge(List<StatusAcknowledgementToAgent> wanted) {
        synchronized (this) {
            wanted.forEach(ack -> acknowledgements.put(ack.node(), ack));
        }
        flush();
    }

    @Override
    @Nullable AttachRequest nextMessage() {
        if (!ordered.isEmpty()) {
            return ordered.removeFirst();
        }
        if (!acknowledgements.isEmpty()) {
            Acks.Builder acks = Acks.newBuilder();
            drainSlots(acknowledgements).forEach(ack -> acks.addAcks(toNodeAck(ack)));
            return AttachRequest.newBuilder().setAcks(acks).build();
        }
        if (!deliveries.isEmpty()) {
            return AttachRequest.newBuilder().setDeliveries(nextDeliveries()).build();
        }
        return null;
    }

    /** As many deliveries as one message may have, by number and by size. */
    private Deliveries nextDeliveries() {
        Deliveries.Builder send = Deliveries.newBuilder();
        int size = 0;
        while (!deliveries.isEmpty() && send.getDeliveriesCount() < MOST_ENTRIES) {
            NodeId node = deliveries.keySet().iterator().next();
            MessageToNode next = requireDelivery(deliveries.get(node));
            drover.node.v1.Delivery delivery =
                    GatewayProtoDispatcher.toDelivery(next, signer.sign(next));
            size += delivery.getSerializedSize() + ENTRY_OVERHEAD;
            if (send.getDeliveriesCount() > 0 && size > MOST_BYTES) {
                break; // one alone is always sent: contents are at most 512 KiB a node
            }
            deliveries.remove(node);
            send.addDeliveries(delivery);
        }
        return send.build();
    }

    private static MessageToNode requireDelivery(@Nullable MessageToNode delivery) {
        if (delivery == null) {
            throw new IllegalStateException("A slot is empty");
        }
        return delivery;
    }

    private static <T> List<T> drainSlots(Map<NodeId, T> slots) {
        List<NodeId> nodes = slots.keySet().stream().limit(MOST_ENTRIES).toList();
        List<T> taken = new ArrayList<>();
        for (NodeId node : nodes) {
            T slot = slots.remove(node);
            if (slot != null) {
                taken.add(slot);
            }
        }
        return taken;
    }

    private static NodeAck toNodeAck(StatusAcknowledgementToAgent ack) {
        return NodeAck.newBuilder()
                .setNodeId(ack.node().value())
                .setAttempt(ack.attempt())
                .setSequence(ack.sequence())
                .setSuccessorSeen(ack.successorSeen())
                .build();
    }

    @Override
    void onMessage(AttachResponse message) {
        GatewayProtoDispatcher.dispatch(message, events);
    }

    @Override
    void onEnd(@Nullable Throwable failure) {
        channel.shutdownNow();
        boolean stale =
                failure instanceof StatusRuntimeException status
                        && RefusalParser.from(status)
                                .filter(refused -> refused.code() == RefusalCode.STALE_EPOCH)
                                .isPresent();
        events.onClosed(stale);
    }

    @Override
    public void close() {
        end();
        channel.shutdownNow();
    }
}
