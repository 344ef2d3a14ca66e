package drover.bench.agent;

import com.sun.net.httpserver.HttpServer;
import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Welcome;
import drover.localenv.Await;
import drover.localenv.UserFacingError;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * What an agent sees of the mesh: a stream that welcomes it, a command, and a server of artifacts
 * at a rate. A gateway's database would only add to what the agent is not to blame for.
 */
public final class FakeGateway extends AgentServiceGrpc.AgentServiceImplBase
        implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final com.google.protobuf.Duration IDLE =
            com.google.protobuf.Duration.newBuilder().setSeconds(30).build();
    private static final com.google.protobuf.Duration ACTIVE =
            com.google.protobuf.Duration.newBuilder().setSeconds(1).build();
    private final Server server;
    private final HttpServer artifacts;
    private final AtomicInteger welcomes = new AtomicInteger();
    private final AtomicInteger served = new AtomicInteger();
    private final AtomicReference<StreamObserver<ConnectResponse>> agent = new AtomicReference<>();
    private final AtomicReference<AttemptStatus> status =
            new AtomicReference<>(AttemptStatus.getDefaultInstance());

    /** Opens both on loopback. */
    public FakeGateway(Path artifact, int bytesPerSecond) {
        this(artifact, bytesPerSecond, InsecureServerCredentials.create());
    }

    /** The same, the stream over TLS. */
    FakeGateway(Path artifact, int bytesPerSecond, ServerCredentials credentials) {
        try {
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            server =
                    NettyServerBuilder.forAddress(any, credentials)
                            .addService(this)
                            .build()
                            .start();
            artifacts = HttpServer.create(any, 0);
        } catch (IOException e) {
            throw new UserFacingError("No port can be opened on loopback: " + e.getMessage(), e);
        }
        artifacts.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        artifacts.createContext(
                "/artifact",
                exchange -> {
                    exchange.sendResponseHeaders(200, Files.size(artifact));
                    try (InputStream in = Files.newInputStream(artifact);
                            OutputStream out = exchange.getResponseBody()) {
                        sendThrottled(in, out, bytesPerSecond);
                    }
                    served.incrementAndGet();
                });
        artifacts.start();
    }

    /** A tenth of the rate in a tenth of a second. */
    private static void sendThrottled(InputStream in, OutputStream out, int rate)
            throws IOException {
        for (byte[] some = in.readNBytes(rate / 10);
                some.length > 0;
                some = in.readNBytes(rate / 10)) {
            out.write(some);
            Await.until(Duration.ofMillis(100), () -> false);
        }
    }

    String address() {
        return "127.0.0.1:" + server.getPort();
    }

    String artifactUrl() {
        return "http://127.0.0.1:" + artifacts.getAddress().getPort() + "/artifact";
    }

    int welcomeCount() {
        return welcomes.get();
    }

    int servedArtifactCount() {
        return served.get();
    }

    void send(Command command) {
        sendToAgent(agent.get(), ConnectResponse.newBuilder().setCommand(command).build());
    }

    /** Waits until the attempt has ended. */
    AttemptStatus awaitResult(long attempt) {
        Await.until(TIMEOUT, () -> hasEnded(status.get(), attempt));
        AttemptStatus last = status.get();
        if (!hasEnded(last, attempt)) {
            throw new UserFacingError(
                    "The agent did not end its upgrade; its last word: " + last + ".");
        }
        return last;
    }

    private static boolean hasEnded(AttemptStatus status, long attempt) {
        return status.getAttempt() == attempt
                && status.getOutcome() != AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS;
    }

    @Override
    public StreamObserver<ConnectRequest> connect(StreamObserver<ConnectResponse> out) {
        return new StreamObserver<>() {
            @Override
            public void onNext(ConnectRequest message) {
                if (message.hasHello()) {
                    agent.set(out);
                    sendToAgent(out, welcomeMessage());
                    welcomes.incrementAndGet();
                }
                if (message.hasStatus()) {
                    status.set(message.getStatus());
                }
            }

            @Override
            public void onError(Throwable failure) {
                // the agent was ended, as it is after each figure
            }

            @Override
            public void onCompleted() {
                out.onCompleted();
            }
        };
    }

    private static void sendToAgent(StreamObserver<ConnectResponse> out, ConnectResponse message) {
        synchronized (out) {
            out.onNext(message);
        }
    }

    private static ConnectResponse welcomeMessage() {
        return ConnectResponse.newBuilder()
                .setWelcome(
                        Welcome.newBuilder()
                                .setNodeId("node-1")
                                .setIdleHeartbeat(IDLE)
                                .setActiveHeartbeat(ACTIVE))
                .build();
    }

    @Override
    public void close() {
        server.shutdownNow();
        artifacts.stop(0);
    }
}
