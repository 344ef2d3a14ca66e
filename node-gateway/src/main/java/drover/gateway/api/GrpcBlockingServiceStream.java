package drover.gateway.api;

import com.google.protobuf.Message;
import drover.gateway.engine.stream.BlockingServiceStream;
import drover.kit.grpc.Refused;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.function.Function;

/**
 * The sending side of a neighbour's stream: one thread writes and waits until the neighbour reads.
 *
 * @param <T> what the engine says
 * @param <M> the message it becomes, in as many parts as its size needs
 */
final class GrpcBlockingServiceStream<T, M extends Message> implements BlockingServiceStream<T> {
    private final ServerCallStreamObserver<M> responses;
    private final Function<T, M> render;
    private boolean ended;

    GrpcBlockingServiceStream(ServerCallStreamObserver<M> responses, Function<T, M> render) {
        this.responses = responses;
        this.render = render;
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
    public synchronized boolean send(T message) throws InterruptedException {
        for (M part : MessageSplitter.splitBySize(render.apply(message))) {
            while (!ended && !responses.isReady()) {
                wait();
            }
            if (!ended) {
                responses.onNext(part);
            }
        }
        return !ended;
    }

    @Override
    public synchronized void end(Refused reason) {
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
