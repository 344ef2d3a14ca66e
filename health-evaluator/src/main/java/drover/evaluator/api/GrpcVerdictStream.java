package drover.evaluator.api;

import drover.evaluator.assess.VerdictReport;
import drover.evaluator.engine.VerdictStream;
import drover.health.v1.WatchResponse;
import drover.kit.grpc.Refused;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.List;

/** The sending side of a coordinator's stream: whoever sends waits until it is read. */
final class GrpcVerdictStream implements VerdictStream {
    private final ServerCallStreamObserver<WatchResponse> responses;
    private boolean ended;

    GrpcVerdictStream(ServerCallStreamObserver<WatchResponse> responses) {
        this.responses = responses;
    }

    /** Begins; {@code onDisconnect} is called once the stream has ended for whatever reason. */
    void registerHandlers(Runnable onDisconnect) {
        responses.setOnReadyHandler(this::wake);
        Runnable ending =
                () -> {
                    markEnded();
                    onDisconnect.run();
                };
        responses.setOnCancelHandler(ending);
        responses.setOnCloseHandler(ending);
    }

    @Override
    public synchronized boolean send(List<VerdictReport> judgements) throws InterruptedException {
        while (!ended && !responses.isReady()) {
            wait();
        }
        if (!ended) {
            responses.onNext(HealthProtos.toProto(judgements));
        }
        return !ended;
    }

    synchronized void closeWithError(Refused reason) {
        if (!ended) {
            markEnded();
            responses.onError(reason.toStatus());
        }
    }

    synchronized void complete() {
        if (!ended) {
            markEnded();
            responses.onCompleted();
        }
    }

    private synchronized void wake() {
        notifyAll();
    }

    private synchronized void markEnded() {
        ended = true;
        notifyAll();
    }
}
