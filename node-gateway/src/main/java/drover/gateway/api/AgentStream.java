package drover.gateway.api;

import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Hello;
import drover.agent.v1.ProgramLog;
import drover.agent.v1.Welcome;
import drover.gateway.engine.TaskScheduler;
import drover.gateway.engine.credential.OpenAgentStreams;
import drover.gateway.engine.credential.RevocationMonitor;
import drover.gateway.engine.session.AgentHello;
import drover.gateway.engine.session.AgentOutboxWriter;
import drover.gateway.engine.session.SessionTable;
import drover.gateway.engine.session.StreamToAgent;
import drover.gateway.identity.StreamCredential;
import drover.gateway.session.MaxConnectionAge;
import drover.gateway.session.MessageToAgent;
import drover.gateway.session.NodeIdentity;
import drover.kit.agent.AgentMessageRepairingValidator;
import drover.kit.agent.InvalidMessage;
import drover.kit.grpc.Refused;
import drover.kit.grpc.StreamRateLimiter;
import drover.model.NodeId;
import drover.model.RefusalCode;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One agent's stream: a Hello, then heartbeats and statuses. One message is asked for at a time,
 * and none is answered by waiting, so that a flood stays on the agent's side (invariant I3).
 */
final class AgentStream implements StreamObserver<ConnectRequest> {
    private static final Duration HELLO_WITHIN = Duration.ofSeconds(10);

    private final NodeIdentity node;
    private final StreamCredential proof;
    private final SessionTable table;
    private final RevocationMonitor revocations;
    private final GrpcStreamToAgent wire;
    private final AgentOutboxWriter line;
    private final RateLimitAndClocks intake;
    private final Consumer<String> onInvalidClusterState;
    private final AtomicBoolean greeted = new AtomicBoolean();
    private volatile @Nullable String session; // null until the Hello is admitted
    private volatile boolean over; // what still comes of it is nobody's word

    AgentStream(
            NodeTokenInterceptor.AuthenticatedNode caller,
            SessionTable table,
            RevocationMonitor revocations,
            GrpcStreamToAgent wire,
            RateLimitAndClocks intake) {
        this.node = caller.node();
        this.proof = caller.credential();
        this.table = table;
        this.revocations = revocations;
        this.wire = wire;
        this.line = new AgentOutboxWriter(wire);
        this.intake = intake;
        this.onInvalidClusterState = why -> table.recordRejectedMessage(node.id(), why);
    }

    /**
     * What limits the messages of a stream.
     *
     * @param clock detects times in the future
     */
    record RateLimitAndClocks(TaskScheduler ticker, StreamRateLimiter rate, InstantSource clock) {}

    /**
     * Waits for the Hello.
     *
     * @param left of the certificate's life; empty where none was shown
     * @param old after which the agent is asked to dial again
     */
    void start(Optional<Duration> left, Duration old) {
        TaskScheduler ticker = intake.ticker();
        Future<?> impatience = ticker.scheduleOnce(HELLO_WITHIN, this::endIfNoHello);
        Future<?> ageing = ticker.scheduleOnce(old, this::requestReconnect);
        Optional<Future<?>> life =
                left.map(rest -> ticker.scheduleOnce(rest, this::endAtCertificateExpiry));
        OpenAgentStreams.OpenStream ending = new RevocableStream();
        revocations.openStreams().add(proof, ending);
        ServerCallStreamObserver<ConnectResponse> responses = wire.responses;
        responses.disableAutoRequest();
        responses.setOnReadyHandler(line::flush);
        Runnable onDisconnect =
                () -> {
                    impatience.cancel(false);
                    ageing.cancel(false);
                    life.ifPresent(end -> end.cancel(false));
                    revocations.openStreams().remove(proof, ending);
                    removeSession();
                };
        responses.setOnCancelHandler(onDisconnect);
        responses.setOnCloseHandler(onDisconnect);
        responses.request(1);
    }

    private void endIfNoHello() {
        if (!greeted.get()) {
            wire.end(notHello("No Hello came within 10 s; send it first."));
        }
    }

    /** Before the transport cuts its connection: so it is back within seconds. */
    private void requestReconnect() {
        if (greeted.get()) {
            line.requestReconnect(MaxConnectionAge.RECONNECT_WITHIN);
        }
    }

    /** The agent has renewed it by now, and shows the next one when it dials. */
    private void endAtCertificateExpiry() {
        end(
                new Refused(
                        RefusalCode.CERTIFICATE_OUTDATED,
                        "The certificate of this connection has ended; dial with the next one."));
    }

    /** The session goes first: whatever the agent still reads, it is told and heard no more. */
    private void end(Refused reason) {
        over = true;
        removeSession();
        wire.end(reason);
    }

    @Override
    public void onNext(ConnectRequest request) {
        if (over) {
            return;
        }
        try {
            handle(validateAndRepair(removeInvalidClusterStates(request)));
            requestNextWithinRate(request.getSerializedSize());
        } catch (InvalidMessage invalid) {
            table.recordRejectedMessage(node.id(), invalid.sentence());
            end(new Refused(RefusalCode.INVALID_FIELD, invalid.sentence(), invalid.field()));
        } catch (Refused refused) {
            end(refused);
        } catch (RuntimeException e) {
            removeSession();
            throw e; // a bug: the host logs it and ends the stream
        }
    }

    /** An invalid report must not end the session: the rest of the heartbeat still counts. */
    private ConnectRequest removeInvalidClusterStates(ConnectRequest request) {
        return request.hasHeartbeat()
                ? InvalidClusterStateRemover.remove(request, onInvalidClusterState)
                : request;
    }

    private ConnectRequest validateAndRepair(ConnectRequest request) {
        ConnectRequestMarshaller.findSizeViolation(request)
                .ifPresent(
                        invalid -> {
                            throw invalid;
                        });
        AgentMessageRepairingValidator.ValidatedMessage<ConnectRequest> checked =
                AgentMessageRepairingValidator.validateAndRepair(request, intake.clock().instant());
        if (checked.replaced() > 0) {
            table.meter().messageRepaired();
        }
        return checked.message();
    }

    /** Reads the next message, later if the agent exceeds its rate limit. */
    private void requestNextWithinRate(int size) {
        Duration wait = intake.rate().countAndGetDelay(size);
        if (wait.isZero()) {
            wire.responses.request(1);
        } else {
            table.meter().readDelayed();
            var _ = intake.ticker().scheduleOnce(wait, () -> wire.responses.request(1));
        }
    }

    private void handle(ConnectRequest request) {
        String current = session;
        if (current == null) {
            handleHello(request);
            return;
        }
        switch (request.getMessageCase()) {
            case HEARTBEAT ->
                    table.applyHeartbeat(
                            node.id(),
                            current,
                            AgentHeartbeatParser.toReceivedHeartbeat(request.getHeartbeat()));
            case STATUS ->
                    table.applyStatus(
                            node.id(), current, AgentProtos.toReport(request.getStatus()));
            case PREFLIGHT ->
                    table.storePreflightReport(
                            node.id(),
                            current,
                            AgentProtos.wrapPreflightReport(request.getPreflight()));
            case LOG -> completeLogRead(request.getLog());
            case HELLO ->
                    throw new Refused(
                            RefusalCode.INVALID_FIELD,
                            "A stream has one Hello; dial again to send another.",
                            "hello");
            case MESSAGE_NOT_SET -> {
                // A later agent may say more than this gateway knows (invariant C15).
                if (request.getUnknownFields().asMap().isEmpty()) {
                    throw new Refused(RefusalCode.INVALID_FIELD, "A message was empty.", "message");
                }
            }
        }
    }

    private void completeLogRead(ProgramLog log) {
        table.logReads().complete(node.id(), log.getRequestId(), log.getText(), log.getDetail());
    }

    private void handleHello(ConnectRequest request) {
        if (!request.hasHello()) {
            throw notHello("The first message of an agent must be a Hello.");
        }
        Hello hello = request.getHello();
        AgentProtos.requireSupportedProtocol(
                hello.getProtocol()); // a probe's as well: its agent comes next
        requireOwnNodeId(hello.getNodeId());
        if (hello.getProbe()) {
            table.welcomeConnectionTest(
                    node.id(), line); // not greeted: one that stays is let go in 10 s
            return;
        }
        session = admitOrRetryAfterRevocationCheck(AgentProtos.toAgentHello(node, hello));
        greeted.set(true);
        if (over) { // while it was being admitted
            removeSession();
        }
    }

    /**
     * Whoever is in the way may be the machine that was this node before and has not been ended
     * yet: that is looked up at once, so that it keeps nobody out until the next look.
     */
    private String admitOrRetryAfterRevocationCheck(AgentHello arrival) {
        try {
            return table.admit(arrival, line);
        } catch (Refused refused) {
            if (refused.code() != RefusalCode.SESSION_SUPERSEDED) {
                throw refused;
            }
            revocations.awaitFreshCheck();
            return table.admit(arrival, line);
        }
    }

    /**
     * The credential alone counts; an agent that takes itself for another node is misplaced, which
     * operators are told (H1).
     */
    private void requireOwnNodeId(String claimed) {
        if (!claimed.isEmpty() && !claimed.equals(node.id().value())) {
            table.addIdentityMismatch(node.id());
            throw new Refused(
                    RefusalCode.NODE_ID_MISMATCH,
                    "This credential is node "
                            + node.id()
                            + "'s, and the agent takes itself for another; give the machine its own.",
                    "node_id");
        }
    }

    private static Refused notHello(String sentence) {
        return new Refused(RefusalCode.FIRST_MESSAGE_NOT_HELLO, sentence);
    }

    @Override
    public void onError(Throwable failure) {
        removeSession();
    }

    @Override
    public void onCompleted() {
        removeSession();
        wire.complete();
    }

    private void removeSession() {
        String current = session;
        if (current != null) {
            table.removeSession(node.id(), current);
        }
    }

    /** Ends this stream when what it began with was ended. */
    private final class RevocableStream implements OpenAgentStreams.OpenStream {
        @Override
        public NodeId node() {
            return node.id();
        }

        @Override
        public void end(Refused reason) {
            AgentStream.this.end(reason);
        }
    }

    /** The sending side of the stream; gRPC's own is not made for several threads. */
    static final class GrpcStreamToAgent implements StreamToAgent {
        private final ServerCallStreamObserver<ConnectResponse> responses;
        private final Welcome welcome;
        private boolean ended;

        GrpcStreamToAgent(ServerCallStreamObserver<ConnectResponse> responses, Welcome welcome) {
            this.responses = responses;
            this.welcome = welcome;
        }

        @Override
        public synchronized boolean isReady() {
            return !ended && responses.isReady();
        }

        @Override
        public synchronized void send(MessageToAgent outgoing) {
            if (!ended) {
                responses.onNext(AgentProtos.toConnectResponse(outgoing, welcome));
            }
        }

        @Override
        public synchronized void end(Refused reason) {
            if (!ended) {
                ended = true;
                responses.onError(reason.toStatus());
            }
        }

        synchronized void complete() {
            if (!ended) {
                ended = true;
                responses.onCompleted();
            }
        }
    }
}
