package drover.evaluator.api;

import drover.evaluator.engine.EvaluatorMetrics;
import drover.evaluator.engine.WatchSession;
import drover.evaluator.peers.HeartbeatFeed;
import drover.health.v1.HealthVerdictServiceGrpc;
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
public final class HealthVerdictGrpcService
        extends HealthVerdictServiceGrpc.HealthVerdictServiceImplBase {
    private static final int MAX_SESSIONS = 64; // a coordinator has one stream; few lead at once

    private final HeartbeatFeed feed;
    private final LongSupplier nanoTime;
    private final EvaluatorMetrics metrics;
    private final Map<WatchSession, GrpcVerdictStream> sessions = new ConcurrentHashMap<>();

    /** A door to verdicts on these heartbeats. */
    public HealthVerdictGrpcService(
            HeartbeatFeed feed, LongSupplier nanoTime, EvaluatorMetrics metrics) {
        this.feed = metrics.withCounting(feed);
        this.nanoTime = nanoTime;
        this.metrics = metrics;
    }

    /** How many nodes are watched, by all coordinators. */
    public int watchCount() {
        return sessions.keySet().stream().mapToInt(WatchSession::watchCount).sum();
    }

    @Override
    public StreamObserver<WatchRequest> watch(StreamObserver<WatchResponse> responses) {
        if (sessions.size() >= MAX_SESSIONS) {
            throw new Refused(
                    RefusalCode.OVERLOADED,
                    "%d coordinators watch already; try again in 10 s.".formatted(MAX_SESSIONS));
        }
        GrpcVerdictStream wire =
                new GrpcVerdictStream((ServerCallStreamObserver<WatchResponse>) responses);
        WatchSession session = new WatchSession(feed, metrics.withCounting(wire), nanoTime);
        sessions.put(session, wire);
        wire.registerHandlers(() -> close(session));
        session.startSending(
                () ->
                        wire.closeWithError(
                                new Refused(
                                        RefusalCode.INTERNAL,
                                        "Verdicts could not be sent; watch again.")));
        return new WatchStream(session, wire);
    }

    /** Time has passed: every room looks again. */
    public void tick() {
        sessions.keySet().forEach(WatchSession::tick);
    }

    /** Ends every stream, because the evaluator goes away. */
    public void endAllStreams() {
        Refused reason =
                new Refused(
                        RefusalCode.GATEWAY_UNAVAILABLE, // of this kind, the nearest there is
                        "This evaluator is going away; watch again.");
        sessions.forEach(
                (session, wire) -> {
                    close(session);
                    wire.closeWithError(reason);
                });
    }

    private void close(WatchSession session) {
        session.close();
        sessions.remove(session);
    }

    /** One coordinator's stream. */
    private final class WatchStream implements StreamObserver<WatchRequest> {
        private final WatchSession session;
        private final GrpcVerdictStream wire;
        private boolean started;

        WatchStream(WatchSession session, GrpcVerdictStream wire) {
            this.session = session;
            this.wire = wire;
        }

        @Override
        public void onNext(WatchRequest request) {
            try {
                handle(request);
            } catch (Refused refused) {
                close(session);
                wire.closeWithError(refused);
            }
        }

        private void handle(WatchRequest request) {
            if (!started && !request.hasGateways()) {
                throw new Refused(
                        RefusalCode.INVALID_FIELD,
                        "The first message must list the gateways.",
                        "gateways");
            }
            started = true;
            switch (request.getMessageCase()) {
                case GATEWAYS ->
                        session.setGateways(HealthProtos.toAddresses(request.getGateways()));
                case WATCHES -> session.watch(HealthProtos.toWatches(request.getWatches()));
                case UNWATCH -> session.unwatch(HealthProtos.toValidNodeIds(request.getUnwatch()));
                case MESSAGE_NOT_SET -> {} // a later coordinator may say more than is known here
            }
        }

        @Override
        public void onError(Throwable failure) {
            close(session);
        }

        @Override
        public void onCompleted() {
            close(session);
            wire.complete();
        }
    }
}
