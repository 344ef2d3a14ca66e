package drover.bench.limit;

import com.google.protobuf.ByteString;
import drover.agent.v1.Ack;
import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.Command;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.bench.mesh.Running;
import drover.bench.mesh.ServiceProcess;
import drover.kit.grpc.Address;
import drover.kit.grpc.GrpcHost;
import drover.standalone.home.Patience;
import drover.standalone.home.Unusable;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.event.Level;

/**
 * The limit of a gateway: the same messages over the same kind of streams, with nothing behind
 * them. Streams are opened before; measured is from the first command to the last status.
 */
public final class BareStream extends AgentServiceGrpc.AgentServiceImplBase
        implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofMinutes(2);
    private static final Duration ANSWER = Duration.ofMinutes(1);
    private static final Duration LOOK = Duration.ofMillis(1);
    private static final int HEAP = 1024; // MiB for all clients

    private final StreamShape shape;
    private final Queue<StreamObserver<ConnectResponse>> streams = new ConcurrentLinkedQueue<>();
    private final LongAdder received = new LongAdder();
    private final GrpcHost host;
    private final ServiceProcess clients;

    /** Opens a server here and all the streams to it from another process. */
    public static BareStream open(Path logs, Running running, StreamShape shape) {
        BareStream bare = new BareStream(logs, running, shape);
        if (!Patience.await(CONNECT, () -> bare.streams.size() == shape.agents())) {
            int connected = bare.streams.size();
            bare.close();
            throw new Unusable("Only " + connected + " of the bare streams were opened.");
        }
        return bare;
    }

    private BareStream(Path logs, Running running, StreamShape shape) {
        this.shape = shape;
        this.host = GrpcHost.plan().serve(this).listen(new Address.Tcp("127.0.0.1", 0));
        this.clients = running.start(() -> clients(logs));
    }

    private ServiceProcess clients(Path logs) {
        return ServiceProcess.start(
                logs,
                StreamClientsMain.class,
                Level.WARN,
                HEAP,
                Map.of(),
                List.of(
                        "--server",
                        "127.0.0.1:" + host.port(),
                        "--agents",
                        Integer.toString(shape.agents()),
                        "--per-connection",
                        Integer.toString(shape.perConnection()),
                        "--statuses",
                        Integer.toString(shape.statuses()),
                        "--status-bytes",
                        Integer.toString(shape.statusBytes())));
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
                    say(
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
    private static void say(StreamObserver<ConnectResponse> stream, ConnectResponse message) {
        synchronized (stream) {
            stream.onNext(message);
        }
    }

    /** A command to everybody and all their statuses; how long that took. */
    public Duration once() {
        ConnectResponse command =
                ConnectResponse.newBuilder()
                        .setCommand(
                                Command.newBuilder()
                                        .setBody(
                                                ByteString.copyFrom(
                                                        new byte[shape.commandBytes()])))
                        .build();
        received.reset();
        long expected = (long) shape.agents() * shape.statuses();
        long began = System.nanoTime();
        streams.forEach(stream -> say(stream, command));
        if (!Patience.await(ANSWER, LOOK, () -> received.sum() >= expected)) {
            throw new Unusable("Only " + received.sum() + " of " + expected + " statuses came.");
        }
        return Duration.ofNanos(System.nanoTime() - began);
    }

    @Override
    public void close() {
        clients.kill();
        host.close();
    }
}
