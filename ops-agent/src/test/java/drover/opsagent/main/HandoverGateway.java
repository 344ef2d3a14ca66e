package drover.opsagent.main;

import drover.agent.v1.Ack;
import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.Command;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.Hello;
import drover.agent.v1.ProgramReport;
import drover.agent.v1.StopAgent;
import drover.agent.v1.Welcome;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A gateway and a control plane behind it, as far as a hand-over needs them: it acknowledges what
 * executors say, and lets the old agent go once the new one has spoken for itself as a standby.
 */
public final class HandoverGateway extends AgentServiceGrpc.AgentServiceImplBase
        implements AutoCloseable {
    /** What it says to whom it refuses. */
    static final String UNKNOWN_TOKEN = "No node has this token: give the node its own.";

    public final List<Hello> hellos = new CopyOnWriteArrayList<>();
    public final List<AttemptStatus> statuses = new CopyOnWriteArrayList<>();
    public final List<Heartbeat> heartbeats = new CopyOnWriteArrayList<>();
    public final List<String> stops = new CopyOnWriteArrayList<>();
    volatile boolean refuses;
    public volatile boolean acknowledges = true;
    public volatile boolean lets = true;

    /** Whether its acknowledgements say that the successor was heard, once it was. */
    public volatile boolean reportsSeen;

    /** Whether a standby of the wanted version has spoken for itself. */
    public volatile boolean successorSeen;

    public volatile String wanted = "none";
    private volatile Server server;
    private volatile @Nullable Session executor;

    HandoverGateway() throws IOException {
        this(0);
    }

    /** On this port; 0 takes a free one. */
    public HandoverGateway(int port) throws IOException {
        server = listen(port);
    }

    private Server listen(int port) throws IOException {
        InetSocketAddress here = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        return NettyServerBuilder.forAddress(here).addService(this).build().start();
    }

    String address() {
        return "127.0.0.1:" + server.getPort();
    }

    /** Is away for as long as that takes: every stream breaks, and nobody answers a dial. */
    public void disconnectDuring(Runnable something) throws IOException, InterruptedException {
        int port = server.getPort();
        server.shutdownNow().awaitTermination();
        something.run();
        server = listen(port);
    }

    @Override
    public StreamObserver<ConnectRequest> connect(StreamObserver<ConnectResponse> agent) {
        Session session = new Session(agent);
        if (refuses) {
            agent.onError(
                    Status.UNAUTHENTICATED.withDescription(UNKNOWN_TOKEN).asRuntimeException());
        }
        return session;
    }

    private final class Session implements StreamObserver<ConnectRequest> {
        final StreamObserver<ConnectResponse> agent;
        private Hello hello = Hello.getDefaultInstance();

        Session(StreamObserver<ConnectResponse> agent) {
            this.agent = agent;
        }

        @Override
        public void onNext(ConnectRequest message) {
            switch (message.getMessageCase()) {
                case HELLO -> {
                    hello = message.getHello();
                    if (hello.getExecutor()) {
                        executor = this;
                    }
                    send(welcome());
                    hellos.add(hello);
                    if (hello.hasStatus()) {
                        receive(hello.getStatus());
                    }
                }
                case HEARTBEAT -> receive(message.getHeartbeat());
                case STATUS -> receive(message.getStatus());
                case PREFLIGHT, LOG, MESSAGE_NOT_SET ->
                        throw new IllegalStateException("not asked for: " + message);
            }
        }

        private void receive(Heartbeat heartbeat) {
            if (hello.getExecutor()) {
                heartbeats.add(heartbeat);
                return;
            }
            boolean meant =
                    heartbeat.getProgramsList().stream()
                            .anyMatch(it -> it.getRunningDigest().equals(wanted));
            successorSeen |= meant;
            if (meant && lets && handsOver()) {
                Session old = executor;
                if (old != null) {
                    stops.add(wanted);
                    old.send(stop());
                }
            }
        }

        private boolean handsOver() {
            return !statuses.isEmpty() && statuses.getLast().getHandoverReady();
        }

        private void receive(AttemptStatus status) {
            statuses.add(status);
            if (acknowledges) {
                send(
                        ConnectResponse.newBuilder()
                                .setAck(
                                        Ack.newBuilder()
                                                .setAttempt(status.getAttempt())
                                                .setSequence(status.getSequence())
                                                .setSuccessorSeen(reportsSeen && successorSeen))
                                .build());
            }
        }

        void send(ConnectResponse message) {
            synchronized (agent) {
                try {
                    agent.onNext(message);
                } catch (IllegalStateException e) {
                    // it has hung up meanwhile
                }
            }
        }

        @Override
        public void onError(Throwable failure) {
            if (executor == this) {
                executor = null; // the agent is gone, as the tests mean it to be
            }
        }

        @Override
        public void onCompleted() {
            agent.onCompleted();
        }
    }

    private ConnectResponse stop() {
        return ConnectResponse.newBuilder()
                .setStopAgent(
                        StopAgent.newBuilder()
                                .setReason("the successor was heard")
                                .setAttempt(statuses.getLast().getAttempt())
                                .setSuccessorDigest(wanted))
                .build();
    }

    private static ConnectResponse welcome() {
        var fifth = com.google.protobuf.Duration.newBuilder().setNanos(200_000_000);
        return ConnectResponse.newBuilder()
                .setWelcome(
                        Welcome.newBuilder()
                                .setNodeId("node-1")
                                .setIdleHeartbeat(fifth)
                                .setActiveHeartbeat(fifth))
                .build();
    }

    public void send(Command command) {
        Session session = executor;
        if (session == null) {
            throw new IllegalStateException("No executor has dialled");
        }
        session.send(ConnectResponse.newBuilder().setCommand(command).build());
    }

    /** What the executor has last said of the attempt. */
    public AttemptStatus status(long attempt) {
        return statuses.stream()
                .filter(status -> status.getAttempt() == attempt)
                .reduce((_, last) -> last)
                .orElse(AttemptStatus.getDefaultInstance());
    }

    /** What the latest executor said of itself when it dialled; empty before one did. */
    public ProgramReport agent() {
        return hellos.stream().filter(Hello::getExecutor).reduce((_, last) -> last).stream()
                .flatMap(hello -> hello.getProgramsList().stream())
                .filter(program -> program.getName().equals("drover-agent"))
                .findFirst()
                .orElse(ProgramReport.getDefaultInstance());
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
