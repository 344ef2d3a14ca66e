package drover.gateway.api;

import com.google.protobuf.util.Durations;
import drover.agent.v1.Heartbeat;
import drover.gateway.engine.FeedLine;
import drover.gateway.engine.FeedMessage;
import drover.gateway.engine.SessionTable;
import drover.gateway.session.HeartbeatSlot;
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
public final class HeartbeatFeedDoor extends HeartbeatFeedServiceGrpc.HeartbeatFeedServiceImplBase {
    private static final int MOST_SUBSCRIBERS = 64; // a few evaluators, each a stream per leader

    private final SessionTable table;
    private final Set<FeedLine> lines = ConcurrentHashMap.newKeySet();

    /** A door to the heartbeats of this table. */
    public HeartbeatFeedDoor(SessionTable table) {
        this.table = table;
    }

    @Override
    public StreamObserver<SubscribeRequest> subscribe(StreamObserver<SubscribeResponse> responses) {
        if (lines.size() >= MOST_SUBSCRIBERS) {
            throw new Refused(
                    RefusalCode.OVERLOADED,
                    "%d evaluators subscribe already; try again in 10 s."
                            .formatted(MOST_SUBSCRIBERS));
        }
        NeighbourWire<FeedMessage, SubscribeResponse> wire =
                new NeighbourWire<>(
                        (ServerCallStreamObserver<SubscribeResponse>) responses, this::render);
        FeedLine line = new FeedLine(table, wire);
        lines.add(line);
        wire.begin(() -> close(line));
        line.open();
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

    private void close(FeedLine line) {
        line.close();
        lines.remove(line);
    }

    private SubscribeResponse render(FeedMessage message) {
        SubscribeResponse.Builder response = SubscribeResponse.newBuilder();
        message.heartbeats().forEach((node, slot) -> response.addHeartbeats(render(node, slot)));
        message.gone().forEach(node -> response.addGone(node.value()));
        return response.build();
    }

    private NodeHeartbeat render(NodeId node, HeartbeatSlot slot) {
        return NodeHeartbeat.newBuilder()
                .setNodeId(node.value())
                .setHeartbeat(Enclosed.open(slot.body(), Heartbeat.class))
                .setAge(Durations.fromNanos(table.nanoTime() - slot.receivedNanos()))
                .build();
    }

    /** One evaluator's stream. */
    private final class Subscription implements StreamObserver<SubscribeRequest> {
        private final FeedLine line;
        private final NeighbourWire<FeedMessage, SubscribeResponse> wire;

        Subscription(FeedLine line, NeighbourWire<FeedMessage, SubscribeResponse> wire) {
            this.line = line;
            this.wire = wire;
        }

        @Override
        public void onNext(SubscribeRequest request) {
            try {
                line.subscribe(
                        NodeNames.of(request.getAddList()), NodeNames.of(request.getRemoveList()));
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
