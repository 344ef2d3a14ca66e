package drover.gateway.api;

import drover.agent.v1.Command;
import drover.agent.v1.CommandType;
import drover.gateway.engine.LeaderLine;
import drover.gateway.engine.LeaderMessage;
import drover.gateway.engine.Leadership;
import drover.gateway.engine.SessionTable;
import drover.gateway.session.Outgoing;
import drover.gateway.session.Relayed;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import drover.node.v1.AttachRequest;
import drover.node.v1.AttachResponse;
import drover.node.v1.Delivery;
import drover.node.v1.GatewayControlServiceGrpc;
import drover.node.v1.Interest;
import drover.node.v1.NodeAck;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;

/** The door of the leading coordinator. */
public final class GatewayControlDoor
        extends GatewayControlServiceGrpc.GatewayControlServiceImplBase {
    private final String gatewayId;
    private final SessionTable table;
    private final Leadership leadership;

    /** A door of the gateway with this id. */
    public GatewayControlDoor(String gatewayId, SessionTable table, Leadership leadership) {
        this.gatewayId = gatewayId;
        this.table = table;
        this.leadership = leadership;
    }

    @Override
    public StreamObserver<AttachRequest> attach(StreamObserver<AttachResponse> responses) {
        NeighbourWire<LeaderMessage, AttachResponse> wire =
                new NeighbourWire<>(
                        (ServerCallStreamObserver<AttachResponse>) responses,
                        message -> LeaderProtos.render(message, gatewayId));
        LeaderLine line = new LeaderLine(table, wire);
        wire.begin(() -> leadership.detach(line));
        return new Attached(line, wire);
    }

    /** One leader's stream. */
    private final class Attached implements StreamObserver<AttachRequest> {
        private final LeaderLine line;
        private final NeighbourWire<LeaderMessage, AttachResponse> wire;
        private boolean open;

        Attached(LeaderLine line, NeighbourWire<LeaderMessage, AttachResponse> wire) {
            this.line = line;
            this.wire = wire;
        }

        @Override
        public void onNext(AttachRequest request) {
            try {
                take(request);
            } catch (Refused refused) {
                leadership.detach(line);
                wire.end(refused);
            }
        }

        private void take(AttachRequest request) {
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
                case INTEREST -> interest(request.getInterest());
                case SEND -> request.getSend().getDeliveriesList().forEach(this::deliver);
                case ACKS -> request.getAcks().getAcksList().forEach(this::acknowledge);
                case MESSAGE_NOT_SET -> {} // a later leader may say more than this gateway knows
            }
        }

        private void interest(Interest interest) {
            leadership.interest(
                    line,
                    interest.getRevision(),
                    NodeNames.of(interest.getAddList()),
                    NodeNames.of(interest.getRemoveList()));
        }

        private void deliver(Delivery delivery) {
            switch (delivery.getItemCase()) {
                case COMMAND ->
                        deliver(
                                delivery,
                                delivery.getCommand().getEpoch(),
                                outgoing(delivery.getCommand()));
                case WITHDRAW ->
                        deliver(
                                delivery,
                                delivery.getWithdraw().getEpoch(),
                                new Outgoing.Withdrawal(new Enclosed(delivery.getWithdraw())));
                case STOP ->
                        deliver(
                                delivery,
                                delivery.getStop().getEpoch(),
                                new Outgoing.Stop(new Enclosed(delivery.getStop().getOrder())));
                case ITEM_NOT_SET -> {} // a later leader may send more than this gateway knows
            }
        }

        private static Outgoing outgoing(Command command) {
            Relayed relayed = new Enclosed(command);
            return command.getType() == CommandType.COMMAND_TYPE_PREFLIGHT
                    ? new Outgoing.Preflight(relayed)
                    : new Outgoing.Work(relayed);
        }

        private void deliver(Delivery delivery, long epoch, Outgoing outgoing) {
            leadership.deliver(
                    line,
                    epoch,
                    NodeNames.of(delivery.getNodeId()),
                    delivery.getSessionId(),
                    outgoing);
        }

        private void acknowledge(NodeAck ack) {
            leadership.acknowledge(
                    line,
                    NodeNames.of(ack.getNodeId()),
                    new Outgoing.Acknowledgement(
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
