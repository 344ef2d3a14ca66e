package drover.gateway.api;

import com.google.protobuf.util.Durations;
import drover.agent.v1.Heartbeat;
import drover.gateway.engine.session.SessionTable;
import drover.gateway.engine.stream.HeartbeatFeedBatch;
import drover.gateway.engine.stream.HeartbeatFeedWriter;
import drover.gateway.session.LatestHeartbeat;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.node.v1.HeartbeatFeedServiceGrpc;
import drover.node.v1.NodeHeartbeat;
import drover.node.v1.SubscribeRequest;
import drover.node.v1.SubscribeResponse;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The door of health-evaluators. */
public final class HeartbeatFeedGrpcService
        extends HeartbeatFeedServiceGrpc.HeartbeatFeedServiceImplBase {
    private static final int MAX_SUBSCRIBERS = 64; // a few evaluators, each a stream per leader

    private final SessionTable table;
    private final Set<HeartbeatFeedWriter> lines = ConcurrentHashMap.newKeySet();

    /** A door to the heartbeats of this table. */
    public HeartbeatFeedGrpcService(SessionTable table) {
        this.table = table;
    }

    @Override
    public StreamObserver<SubscribeRequest> subscribe(StreamObserver<SubscribeResponse> responses) {
        if (lines.size() >= MAX_SUBSCRIBERS) {
            throw new Refused(
                    RefusalCode.OVERLOADED,
                    "%d evaluators subscribe already; try again in 10 s."
                            .formatted(MAX_SUBSCRIBERS));
        }
        GrpcBlockingServiceStream<HeartbeatFeedBatch, SubscribeResponse> wire =
                new GrpcBlockingServiceStream<>(
                        (ServerCallStreamObserver<SubscribeResponse>) responses, this::toProto);
        HeartbeatFeedWriter line = new HeartbeatFeedWriter(table, wire);
        lines.add(line);
        wire.registerHandlers(() -> close(line));
        line.start();
        return new Subscription(line, wire);
    }

    /** Ends every subscription, because the gateway goes away. */
    public void endAll() {
        Refused reason =
                new Refused(
                        RefusalCode.GATEWAY_UNAVAILABLE,
                        "This gateway is going away; subscribe again.");
        lines.forEach(line -> line.end(reason));
    }

    private void close(HeartbeatFeedWriter line) {
        line.close();
        lines.remove(line);
    }

    private SubscribeResponse toProto(HeartbeatFeedBatch message) {
        SubscribeResponse.Builder response = SubscribeResponse.newBuilder();
        message.heartbeats().forEach((node, slot) -> response.addHeartbeats(toProto(node, slot)));
        message.disconnected().forEach(node -> response.addDisconnected(node.value()));
        return response.build();
    }

    private NodeHeartbeat toProto(NodeId node, LatestHeartbeat slot) {
        return NodeHeartbeat.newBuilder()
                .setNodeId(node.value())
                .setHeartbeat(ProtobufMessage.unwrap(slot.body(), Heartbeat.class))
                .setAge(Durations.fromNanos(table.nanoTime() - slot.receivedNanos()))
                .build();
    }

    /** One evaluator's stream. */
    private final class Subscription implements StreamObserver<SubscribeRequest> {
        private final HeartbeatFeedWriter line;
        private final GrpcBlockingServiceStream<HeartbeatFeedBatch, SubscribeResponse> wire;

        Subscription(
                HeartbeatFeedWriter line,
                GrpcBlockingServiceStream<HeartbeatFeedBatch, SubscribeResponse> wire) {
            this.line = line;
            this.wire = wire;
        }

        @Override
        public void onNext(SubscribeRequest request) {
            try {
                line.updateSubscription(
                        NodeIdParser.parse(request.getAddList()),
                        NodeIdParser.parse(request.getRemoveList()));
            } catch (Refused refused) {
                close(line);
                wire.end(refused);
            }
        }

        @Override
        public void onError(Throwable failure) {
            close(line);
        }

        @Override
        public void onCompleted() {
            close(line);
            wire.complete();
        }
    }
}
