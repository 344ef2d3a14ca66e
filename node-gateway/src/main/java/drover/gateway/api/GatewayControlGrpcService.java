package drover.gateway.api;

import drover.agent.v1.Command;
import drover.agent.v1.CommandType;
import drover.gateway.engine.leader.LeaderAttachment;
import drover.gateway.engine.leader.LeaderStreamWriter;
import drover.gateway.engine.leader.MessageToLeader;
import drover.gateway.engine.session.SessionTable;
import drover.gateway.session.MessageToAgent;
import drover.gateway.session.OpaqueMessage;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import drover.node.v1.AttachRequest;
import drover.node.v1.AttachResponse;
import drover.node.v1.Delivery;
import drover.node.v1.GatewayControlServiceGrpc;
import drover.node.v1.NodeAck;
import drover.node.v1.WatchedNodes;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/** The door of the leading coordinator. */
public final class GatewayControlGrpcService
        extends GatewayControlServiceGrpc.GatewayControlServiceImplBase {
    private final String gatewayId;
    private final SessionTable table;
    private final LeaderAttachment leadership;

    /** A door of the gateway with this id. */
    public GatewayControlGrpcService(
            String gatewayId, SessionTable table, LeaderAttachment leadership) {
        this.gatewayId = gatewayId;
        this.table = table;
        this.leadership = leadership;
    }

    @Override
    public StreamObserver<AttachRequest> attach(StreamObserver<AttachResponse> responses) {
        GrpcBlockingServiceStream<MessageToLeader, AttachResponse> wire =
                new GrpcBlockingServiceStream<>(
                        (ServerCallStreamObserver<AttachResponse>) responses,
                        message -> LeaderProtos.toAttachResponse(message, gatewayId));
        LeaderStreamWriter line = new LeaderStreamWriter(table, wire);
        wire.registerHandlers(() -> leadership.detach(line));
        return new LeaderStream(line, wire);
    }

    /** One leader's stream. */
    private final class LeaderStream implements StreamObserver<AttachRequest> {
        private final LeaderStreamWriter line;
        private final GrpcBlockingServiceStream<MessageToLeader, AttachResponse> wire;
        private boolean open;

        LeaderStream(
                LeaderStreamWriter line,
                GrpcBlockingServiceStream<MessageToLeader, AttachResponse> wire) {
            this.line = line;
            this.wire = wire;
        }

        @Override
        public void onNext(AttachRequest request) {
            try {
                handle(request);
            } catch (Refused refused) {
                leadership.detach(line);
                wire.end(refused);
            }
        }

        private void handle(AttachRequest request) {
            if (open == request.hasOpen()) {
                throw new Refused(
                        RefusalCode.INVALID_FIELD,
                        "The first message, and no other, must be an Open.",
                        "open");
            }
            switch (request.getMessageCase()) {
                case OPEN -> {
                    leadership.attach(
                            request.getOpen().getEpoch(), request.getOpen().getLeader(), line);
                    open = true;
                }
                case WATCHED_NODES -> updateInterest(request.getWatchedNodes());
                case DELIVERIES ->
                        request.getDeliveries().getDeliveriesList().forEach(this::deliver);
                case ACKS -> request.getAcks().getAcksList().forEach(this::acknowledge);
                case MESSAGE_NOT_SET -> {} // a later leader may say more than this gateway knows
            }
        }

        private void updateInterest(WatchedNodes interest) {
            leadership.updateInterestIfCurrent(
                    line,
                    interest.getRevision(),
                    NodeIdParser.parse(interest.getAddList()),
                    NodeIdParser.parse(interest.getRemoveList()));
        }

        private void deliver(Delivery delivery) {
            switch (delivery.getItemCase()) {
                case COMMAND ->
                        deliver(
                                delivery,
                                delivery.getCommand().getEpoch(),
                                toAgentMessage(delivery.getCommand()));
                case WITHDRAW ->
                        deliver(
                                delivery,
                                delivery.getWithdraw().getEpoch(),
                                new MessageToAgent.Withdrawal(
                                        new ProtobufMessage(delivery.getWithdraw())));
                case STOP ->
                        deliver(
                                delivery,
                                delivery.getStop().getEpoch(),
                                new MessageToAgent.ExitForSuccessor(
                                        new ProtobufMessage(delivery.getStop().getStopAgent())));
                case ITEM_NOT_SET -> {} // a later leader may send more than this gateway knows
            }
        }

        private static MessageToAgent toAgentMessage(Command command) {
            OpaqueMessage relayed = new ProtobufMessage(command);
            return command.getType() == CommandType.COMMAND_TYPE_PREFLIGHT
                    ? new MessageToAgent.PreflightCommand(relayed)
                    : new MessageToAgent.Command(relayed);
        }

        private void deliver(Delivery delivery, long epoch, MessageToAgent outgoing) {
            leadership.deliverIfCurrent(
                    line,
                    epoch,
                    NodeIdParser.parse(delivery.getNodeId()),
                    delivery.getSessionId(),
                    outgoing);
        }

        private void acknowledge(NodeAck ack) {
            leadership.acknowledgeIfCurrent(
                    line,
                    NodeIdParser.parse(ack.getNodeId()),
                    new MessageToAgent.Acknowledgement(
                            ack.getAttempt(), ack.getSequence(), ack.getSuccessorSeen()));
        }

        @Override
        public void onError(Throwable failure) {
            leadership.detach(line);
        }

        @Override
        public void onCompleted() {
            leadership.detach(line);
            wire.complete();
        }
    }
}
