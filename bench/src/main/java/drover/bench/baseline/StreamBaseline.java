package drover.bench.baseline;

import drover.agent.v1.Ack;
import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.bench.deployment.ServiceProcess;
import drover.bench.deployment.StartedResources;
import drover.kit.grpc.Address;
import drover.kit.grpc.GrpcServer;
import drover.localenv.Await;
import drover.localenv.UserFacingError;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;

/**
 * The limit of a gateway: the same messages over the same kind of streams, with nothing behind
 * them. Streams are opened before; measured is from the first command to the last status.
 */
public final class StreamBaseline extends AgentServiceGrpc.AgentServiceImplBase
        implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofMinutes(2);
    private static final Duration ANSWER = Duration.ofMinutes(1);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(1);

    private final StreamWorkload shape;
    private final Queue<StreamObserver<ConnectResponse>> streams = new ConcurrentLinkedQueue<>();
    private final LongAdder received = new LongAdder();
    private final GrpcServer host;
    private final ServiceProcess clients;

    /**
     * Opens a server here and all the streams to it from another process.
     *
     * @param tls what both ends show; empty: they are in the clear
     */
    public static StreamBaseline open(
            Path logs, StartedResources running, StreamWorkload shape, Optional<BareTlsFiles> tls) {
        StreamBaseline bare = new StreamBaseline(logs, running, shape, tls);
        if (!Await.until(CONNECT, () -> bare.streams.size() == shape.agents())) {
            int connected = bare.streams.size();
            bare.close();
            throw new UserFacingError("Only " + connected + " of the bare streams were opened.");
        }
        return bare;
    }

    private StreamBaseline(
            Path logs, StartedResources running, StreamWorkload shape, Optional<BareTlsFiles> tls) {
        this.shape = shape;
        GrpcServer.Builder plan = GrpcServer.builder().addService(this);
        this.host =
                tls.map(it -> plan.credentials(it.serverCredentials()))
                        .orElse(plan)
                        .listen(new Address.Tcp("127.0.0.1", 0));
        this.clients =
                BareClientsLauncher.start(
                        logs,
                        running,
                        "127.0.0.1:" + host.port(),
                        shape,
                        false,
                        tls.map(BareTlsFiles::clientDirectory));
    }

    @Override
    public StreamObserver<ConnectRequest> connect(StreamObserver<ConnectResponse> toAgent) {
        return new StreamObserver<>() {
            @Override
            public void onNext(ConnectRequest message) {
                if (message.hasHello()) {
                    streams.add(toAgent);
                    return;
                }
                received.increment();
                if (message.getStatus().getSequence() == shape.statuses()) {
                    sendSynchronized(
                            toAgent,
                            ConnectResponse.newBuilder()
                                    .setAck(Ack.newBuilder().setSequence(shape.statuses()))
                                    .build());
                }
            }

            @Override
            public void onError(Throwable failure) {
                streams.remove(toAgent);
            }

            @Override
            public void onCompleted() {
                streams.remove(toAgent);
            }
        };
    }

    /** A stream takes one writer at a time; the last round's acknowledgement may be under way. */
    private static void sendSynchronized(
            StreamObserver<ConnectResponse> stream, ConnectResponse message) {
        synchronized (stream) {
            stream.onNext(message);
        }
    }

    /** A command to everybody and all their statuses; how long that took. */
    public Duration measureRound() {
        ConnectResponse command = shape.command();
        received.reset();
        long expected = (long) shape.agents() * shape.statuses();
        long started = System.nanoTime();
        streams.forEach(stream -> sendSynchronized(stream, command));
        if (!Await.until(ANSWER, POLL_INTERVAL, () -> received.sum() >= expected)) {
            throw new UserFacingError(
                    "Only " + received.sum() + " of " + expected + " statuses came.");
        }
        return Duration.ofNanos(System.nanoTime() - started);
    }

    @Override
    public void close() {
        clients.kill();
        host.close();
    }
}
