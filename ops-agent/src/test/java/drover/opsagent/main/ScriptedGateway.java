package drover.opsagent.main;

import static org.awaitility.Awaitility.await;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.Hello;
import drover.agent.v1.PreflightReport;
import drover.agent.v1.ProgramLog;
import drover.agent.v1.Welcome;
import drover.agent.v1.Withdraw;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A gateway that welcomes, remembers what it hears, and says what the test tells it to. */
public final class ScriptedGateway extends AgentServiceGrpc.AgentServiceImplBase
        implements AutoCloseable {
    public final List<Hello> hellos = new CopyOnWriteArrayList<>();
    public final List<Heartbeat> heartbeats = new CopyOnWriteArrayList<>();
    public final List<AttemptStatus> statuses = new CopyOnWriteArrayList<>();
    public final List<PreflightReport> preflights = new CopyOnWriteArrayList<>();
    final List<ProgramLog> logs = new CopyOnWriteArrayList<>();
    final List<String> tokens = new CopyOnWriteArrayList<>();
    public final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final List<ConnectResponse> afterWelcome = new CopyOnWriteArrayList<>();
    private final Server server;
    private volatile Welcome greeting = welcome();
    private volatile @Nullable StreamObserver<ConnectResponse> current;

    public ScriptedGateway(String name) throws IOException {
        server =
                InProcessServerBuilder.forName(name)
                        .addService(this)
                        .intercept(new TokenReader())
                        .build()
                        .start();
    }

    @Override
    public StreamObserver<ConnectRequest> connect(StreamObserver<ConnectResponse> agent) {
        current = agent;
        return new StreamObserver<>() {
            @Override
            public void onNext(ConnectRequest message) {
                switch (message.getMessageCase()) {
                    case HELLO -> {
                        hellos.add(message.getHello());
                        synchronized (agent) {
                            agent.onNext(ConnectResponse.newBuilder().setWelcome(greeting).build());
                            afterWelcome.forEach(agent::onNext);
                        }
                    }
                    case HEARTBEAT -> heartbeats.add(message.getHeartbeat());
                    case STATUS -> statuses.add(message.getStatus());
                    case PREFLIGHT -> preflights.add(message.getPreflight());
                    case LOG -> logs.add(message.getLog());
                    case MESSAGE_NOT_SET -> throw new IllegalStateException("empty message");
                }
            }

            @Override
            public void onError(Throwable failure) {
                failures.add(failure); // the agent is gone, as some tests mean it to be
            }

            @Override
            public void onCompleted() {
                agent.onCompleted();
            }
        };
    }

    private static Welcome welcome() {
        var tenth = com.google.protobuf.Duration.newBuilder().setNanos(100_000_000);
        return Welcome.newBuilder()
                .setNodeId("node-1")
                .setIdleHeartbeat(tenth)
                .setActiveHeartbeat(tenth)
                .build();
    }

    /** What it welcomes with from now on. */
    public void greet(Welcome.Builder welcome) {
        greeting = welcome.build();
    }

    /** Sent with every welcome from now on. */
    public void sendAfterWelcome(Command command) {
        afterWelcome.add(ConnectResponse.newBuilder().setCommand(command).build());
    }

    public void send(Command command) {
        sendMessage(ConnectResponse.newBuilder().setCommand(command).build());
    }

    void withdraw(long through, long epoch) {
        sendMessage(
                ConnectResponse.newBuilder()
                        .setWithdraw(
                                Withdraw.newBuilder().setThroughAttempt(through).setEpoch(epoch))
                        .build());
    }

    public void sendMessage(ConnectResponse message) {
        StreamObserver<ConnectResponse> agent = current;
        if (agent == null) {
            throw new IllegalStateException("No agent has dialled");
        }
        synchronized (agent) {
            agent.onNext(message);
        }
    }

    public AttemptStatus lastStatus() {
        return statuses.isEmpty() ? AttemptStatus.getDefaultInstance() : statuses.getLast();
    }

    /** Waits until this attempt is the latest and over. */
    public AttemptStatus end(long attempt, Duration atMost) {
        await().atMost(atMost)
                .until(
                        () ->
                                lastStatus().getAttempt() == attempt
                                        && lastStatus().getOutcome()
                                                != AttemptOutcome.ATTEMPT_OUTCOME_IN_PROGRESS);
        return lastStatus();
    }

    public Heartbeat lastHeartbeat() {
        return heartbeats.isEmpty() ? Heartbeat.getDefaultInstance() : heartbeats.getLast();
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    private final class TokenReader implements ServerInterceptor {
        @Override
        public <A, B> ServerCall.Listener<A> interceptCall(
                ServerCall<A, B> call, Metadata headers, ServerCallHandler<A, B> next) {
            String token =
                    headers.get(
                            Metadata.Key.of("drover-node-token", Metadata.ASCII_STRING_MARSHALLER));
            tokens.add(String.valueOf(token));
            return next.startCall(call, headers);
        }
    }
}
