package drover.gateway;

import drover.agent.v1.Command;
import drover.agent.v1.CommandType;
import drover.agent.v1.Withdraw;
import drover.node.v1.Acks;
import drover.node.v1.AttachRequest;
import drover.node.v1.AttachResponse;
import drover.node.v1.Deliveries;
import drover.node.v1.Delivery;
import drover.node.v1.GatewayControlServiceGrpc;
import drover.node.v1.NodeAck;
import drover.node.v1.NodeStatus;
import drover.node.v1.Open;
import drover.node.v1.Session;
import drover.node.v1.WatchedNodes;
import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** A leading coordinator as the door sees it. */
public final class TestLeader {
    public final StreamRecorder<AttachRequest, AttachResponse> received;
    private final StreamObserver<AttachRequest> requests;
    private final long epoch;

    private TestLeader(
            Channel channel, long epoch, StreamRecorder<AttachRequest, AttachResponse> to) {
        this.epoch = epoch;
        this.received = to;
        this.requests = GatewayControlServiceGrpc.newStub(channel).attach(to);
        send(AttachRequest.newBuilder().setOpen(Open.newBuilder().setEpoch(epoch)).build());
    }

    public static TestLeader attach(Channel channel, long epoch) {
        return new TestLeader(channel, epoch, StreamRecorder.reading());
    }

    static TestLeader attachWithoutReading(Channel channel, long epoch) {
        return new TestLeader(channel, epoch, StreamRecorder.notReading());
    }

    void send(AttachRequest request) {
        requests.onNext(request);
    }

    /** Adds nodes to the interest and waits until all are answered. */
    public TestLeader watches(long revision, List<String> add) {
        interest(revision, add, List.of());
        snapshotEnd(revision);
        return this;
    }

    void interest(long revision, List<String> add, List<String> remove) {
        send(
                AttachRequest.newBuilder()
                        .setWatchedNodes(
                                WatchedNodes.newBuilder()
                                        .setRevision(revision)
                                        .addAllAdd(add)
                                        .addAllRemove(remove))
                        .build());
    }

    void snapshotEnd(long revision) {
        received.awaitMessage(
                response ->
                        response.hasSnapshotEnd()
                                && response.getSnapshotEnd().getRevision() == revision);
    }

    List<Session> present() {
        return received.received().stream()
                .flatMap(response -> response.getConnected().getSessionsList().stream())
                .toList();
    }

    /** Of a node that it watches and that is connected. */
    String sessionOf(String node) {
        return present().stream()
                .filter(present -> present.getNodeId().equals(node))
                .findFirst()
                .orElseThrow()
                .getSessionId();
    }

    List<String> disconnected() {
        return received.received().stream()
                .flatMap(response -> response.getDisconnected().getNodeIdsList().stream())
                .toList();
    }

    public List<NodeStatus> statuses() {
        return received.received().stream()
                .flatMap(response -> response.getStatuses().getStatusesList().stream())
                .toList();
    }

    public void awaitStatus(String node, long attempt, long sequence) {
        received.awaitMessage(
                response ->
                        response.getStatuses().getStatusesList().stream()
                                .anyMatch(
                                        status ->
                                                status.getNodeId().equals(node)
                                                        && status.getStatus().getAttempt()
                                                                == attempt
                                                        && status.getStatus().getSequence()
                                                                == sequence));
    }

    void sends(String node, String session, Command command) {
        deliver(
                Delivery.newBuilder()
                        .setNodeId(node)
                        .setSessionId(session)
                        .setCommand(command)
                        .build());
    }

    void withdraws(String node, String session, long through) {
        deliver(
                Delivery.newBuilder()
                        .setNodeId(node)
                        .setSessionId(session)
                        .setWithdraw(
                                Withdraw.newBuilder().setThroughAttempt(through).setEpoch(epoch))
                        .build());
    }

    void deliver(Delivery delivery) {
        send(
                AttachRequest.newBuilder()
                        .setDeliveries(Deliveries.newBuilder().addDeliveries(delivery))
                        .build());
    }

    void acknowledges(String node, long attempt, long sequence) {
        send(
                AttachRequest.newBuilder()
                        .setAcks(
                                Acks.newBuilder()
                                        .addAcks(
                                                NodeAck.newBuilder()
                                                        .setNodeId(node)
                                                        .setAttempt(attempt)
                                                        .setSequence(sequence)))
                        .build());
    }

    Command command(String body) {
        return Command.newBuilder()
                .setType(CommandType.COMMAND_TYPE_UPGRADE)
                .setEpoch(epoch)
                .setTraceparent("00-trace")
                .setBody(com.google.protobuf.ByteString.copyFromUtf8(body))
                .build();
    }
}
