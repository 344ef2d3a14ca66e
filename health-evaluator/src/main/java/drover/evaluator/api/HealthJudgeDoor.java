package drover.evaluator.api;

import drover.evaluator.engine.EvaluatorMetrics;
import drover.evaluator.engine.WatchRoom;
import drover.evaluator.peers.HeartbeatFeed;
import drover.health.v1.HealthJudgeServiceGrpc;
import drover.health.v1.WatchRequest;
import drover.health.v1.WatchResponse;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** The door of coordinators that want verdicts. */
public final class HealthJudgeDoor extends HealthJudgeServiceGrpc.HealthJudgeServiceImplBase {
    private static final int MOST_ROOMS = 64; // a coordinator has one stream; few lead at once

    private final HeartbeatFeed feed;
    private final LongSupplier nanoTime;
    private final EvaluatorMetrics metrics;
    private final Map<WatchRoom, CoordinatorWire> rooms = new ConcurrentHashMap<>();

    /** A door to verdicts on these heartbeats. */
    public HealthJudgeDoor(HeartbeatFeed feed, LongSupplier nanoTime, EvaluatorMetrics metrics) {
        this.feed = metrics.counted(feed);
        this.nanoTime = nanoTime;
        this.metrics = metrics;
    }

    /** How many nodes are watched, by all coordinators. */
    public int watches() {
        return rooms.keySet().stream().mapToInt(WatchRoom::watches).sum();
    }

    @Override
    public StreamObserver<WatchRequest> watch(StreamObserver<WatchResponse> responses) {
        if (rooms.size() >= MOST_ROOMS) {
            throw new Refused(
                    RefusalCode.OVERLOADED,
                    "%d coordinators watch already; try again in 10 s.".formatted(MOST_ROOMS));
        }
        CoordinatorWire wire =
                new CoordinatorWire((ServerCallStreamObserver<WatchResponse>) responses);
        WatchRoom room = new WatchRoom(feed, metrics.counted(wire), nanoTime);
        rooms.put(room, wire);
        wire.begin(() -> close(room));
        room.open(
                () ->
                        wire.end(
                                new Refused(
                                        RefusalCode.INTERNAL,
                                        "Verdicts could not be sent; watch again.")));
        return new Watching(room, wire);
    }

    /** Time has passed: every room looks again. */
    public void tick() {
        rooms.keySet().forEach(WatchRoom::tick);
    }

    /** Ends every stream, because the evaluator goes away. */
    public void endAll() {
        Refused reason =
                new Refused(
                        RefusalCode.GATEWAY_UNAVAILABLE, // of this kind, the nearest there is
                        "This evaluator is going away; watch again.");
        rooms.forEach(
                (room, wire) -> {
                    close(room);
                    wire.end(reason);
                });
    }

    private void close(WatchRoom room) {
        room.close();
        rooms.remove(room);
    }

    /** One coordinator's stream. */
    private final class Watching implements StreamObserver<WatchRequest> {
        private final WatchRoom room;
        private final CoordinatorWire wire;
        private boolean begun;

        Watching(WatchRoom room, CoordinatorWire wire) {
            this.room = room;
            this.wire = wire;
        }

        @Override
        public void onNext(WatchRequest request) {
            try {
                take(request);
            } catch (Refused refused) {
                close(room);
                wire.end(refused);
            }
        }

        private void take(WatchRequest request) {
            if (!begun && !request.hasGateways()) {
                throw new Refused(
                        RefusalCode.INVALID_FIELD,
                        "The first message must list the gateways.",
                        "gateways");
            }
            begun = true;
            switch (request.getMessageCase()) {
                case GATEWAYS -> room.gateways(HealthProtos.gateways(request.getGateways()));
                case WATCHES -> room.watch(HealthProtos.watches(request.getWatches()));
                case UNWATCH -> room.unwatch(HealthProtos.nodes(request.getUnwatch()));
                case MESSAGE_NOT_SET -> {} // a later coordinator may say more than is known here
            }
        }

        @Override
        public void onError(Throwable failure) {
            close(room);
        }

        @Override
        public void onCompleted() {
            close(room);
            wire.complete();
        }
    }
}
