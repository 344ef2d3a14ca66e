package drover.gateway.api;

import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Hello;
import drover.agent.v1.Welcome;
import drover.gateway.engine.AgentLine;
import drover.gateway.engine.AgentWire;
import drover.gateway.engine.Arrival;
import drover.gateway.engine.OpenStreams;
import drover.gateway.engine.RevocationWatch;
import drover.gateway.engine.SessionTable;
import drover.gateway.engine.Ticker;
import drover.gateway.identity.Proof;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.Outgoing;
import drover.gateway.session.StreamAge;
import drover.kit.agent.AgentMessages;
import drover.kit.agent.InvalidMessage;
import drover.kit.grpc.Refused;
import drover.kit.grpc.StreamRate;
import drover.model.NodeId;
import drover.model.RefusalCode;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One agent's stream: a Hello, then heartbeats and statuses. One message is asked for at a time,
 * and none is answered by waiting, so that a flood stays on the agent's side (invariant I3).
 */
final class AgentStream implements StreamObserver<ConnectRequest> {
    private static final Duration HELLO_WITHIN = Duration.ofSeconds(10);

    private final NodeIdentity node;
    private final Proof proof;
    private final SessionTable table;
    private final RevocationWatch revocations;
    private final GrpcWire wire;
    private final AgentLine line;
    private final Intake intake;
    private final AtomicBoolean greeted = new AtomicBoolean();
    private volatile @Nullable String session; // null until the Hello is admitted
    private volatile boolean over; // what still comes of it is nobody's word

    AgentStream(
            NodeCredentials.Caller caller,
            SessionTable table,
            RevocationWatch revocations,
            GrpcWire wire,
            Intake intake) {
        this.node = caller.node();
        this.proof = caller.proof();
        this.table = table;
        this.revocations = revocations;
        this.wire = wire;
        this.line = new AgentLine(wire);
        this.intake = intake;
    }

    /**
     * What limits the messages of a stream.
     *
     * @param clock detects times in the future
     */
    record Intake(Ticker ticker, StreamRate rate, InstantSource clock) {}

    /**
     * Waits for the Hello.
     *
     * @param left of the certificate's life; empty where none was shown
     * @param old after which the agent is asked to dial again
     */
    void begin(Optional<Duration> left, Duration old) {
        Ticker ticker = intake.ticker();
        Future<?> impatience = ticker.after(HELLO_WITHIN, this::endUnlessGreeted);
        Future<?> ageing = ticker.after(old, this::askToDialAgain);
        Optional<Future<?>> life = left.map(rest -> ticker.after(rest, this::outlive));
        OpenStreams.Stream ending = new Ending();
        revocations.streams().opened(proof, ending);
        ServerCallStreamObserver<ConnectResponse> responses = wire.responses;
        responses.disableAutoRequest();
        responses.setOnReadyHandler(line::flush);
        Runnable gone =
                () -> {
                    impatience.cancel(false);
                    ageing.cancel(false);
                    life.ifPresent(end -> end.cancel(false));
                    revocations.streams().closed(proof, ending);
                    leave();
                };
        responses.setOnCancelHandler(gone);
        responses.setOnCloseHandler(gone);
        responses.request(1);
    }

    private void endUnlessGreeted() {
        if (!greeted.get()) {
            wire.end(notHello("No Hello came within 10 s; send it first."));
        }
    }

    /** Before the transport cuts its connection: so it is back within seconds. */
    private void askToDialAgain() {
        if (greeted.get()) {
            line.sendAway(StreamAge.WITHIN);
        }
    }

    /** The agent has renewed it by now, and shows the next one when it dials. */
    private void outlive() {
        end(
                new Refused(
                        RefusalCode.CERTIFICATE_OUTDATED,
                        "The certificate of this connection has ended; dial with the next one."));
    }

    /** The session goes first: whatever the agent still reads, it is told and heard no more. */
    private void end(Refused reason) {
        over = true;
        leave();
        wire.end(reason);
    }

    @Override
    public void onNext(ConnectRequest request) {
        if (over) {
            return;
        }
        try {
            take(checked(request));
            readNext(request.getSerializedSize());
        } catch (InvalidMessage invalid) {
            table.rejected(node.id(), invalid.sentence());
            end(new Refused(RefusalCode.INVALID_FIELD, invalid.sentence(), invalid.field()));
        } catch (Refused refused) {
            end(refused);
        } catch (RuntimeException e) {
            leave();
            throw e; // a bug: the host logs it and ends the stream
        }
    }

    private ConnectRequest checked(ConnectRequest request) {
        AgentInput.tooLarge(request)
                .ifPresent(
                        invalid -> {
                            throw invalid;
                        });
        AgentMessages.Checked<ConnectRequest> checked =
                AgentMessages.check(request, intake.clock().instant());
        if (checked.replaced() > 0) {
            table.meter().repaired();
        }
        return checked.message();
    }

    /** Reads the next message, later if the agent exceeds its rate limit. */
    private void readNext(int size) {
        Duration wait = intake.rate().count(size);
        if (wait.isZero()) {
            wire.responses.request(1);
        } else {
            table.meter().delayed();
            var _ = intake.ticker().after(wait, () -> wire.responses.request(1));
        }
    }

    private void take(ConnectRequest request) {
        String current = session;
        if (current == null) {
            greet(request);
            return;
        }
        switch (request.getMessageCase()) {
            case HEARTBEAT ->
                    table.beat(node.id(), current, HeartbeatProtos.beat(request.getHeartbeat()));
            case STATUS ->
                    table.report(node.id(), current, AgentProtos.report(request.getStatus()));
            case PREFLIGHT ->
                    table.preflight(
                            node.id(), current, AgentProtos.preflight(request.getPreflight()));
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

    private void greet(ConnectRequest request) {
        if (!request.hasHello()) {
            throw notHello("The first message of an agent must be a Hello.");
        }
        Hello hello = request.getHello();
        AgentProtos.requireSpoken(hello.getProtocol()); // a probe's as well: its agent comes next
        requireItself(hello.getNodeId());
        if (hello.getProbe()) {
            table.welcomeProbe(node.id(), line); // not greeted: one that stays is let go in 10 s
            return;
        }
        session = admitted(AgentProtos.arrival(node, hello));
        greeted.set(true);
        if (over) { // while it was being admitted
            leave();
        }
    }

    /**
     * Whoever is in the way may be the machine that was this node before and has not been ended
     * yet: that is looked up at once, so that it keeps nobody out until the next look.
     */
    private String admitted(Arrival arrival) {
        try {
            return table.admit(arrival, line);
        } catch (Refused refused) {
            if (refused.code() != RefusalCode.SESSION_SUPERSEDED) {
                throw refused;
            }
            revocations.lookNow();
            return table.admit(arrival, line);
        }
    }

    /**
     * The credential alone counts; an agent that takes itself for another node is misplaced, which
     * operators are told (H1).
     */
    private void requireItself(String claimed) {
        if (!claimed.isEmpty() && !claimed.equals(node.id().value())) {
            table.misplaced(node.id());
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
        leave();
    }

    @Override
    public void onCompleted() {
        leave();
        wire.complete();
    }

    private void leave() {
        String current = session;
        if (current != null) {
            table.leave(node.id(), current);
        }
    }

    /** Ends this stream when what it began with was ended. */
    private final class Ending implements OpenStreams.Stream {
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
    static final class GrpcWire implements AgentWire {
        private final ServerCallStreamObserver<ConnectResponse> responses;
        private final Welcome welcome;
        private boolean ended;

        GrpcWire(ServerCallStreamObserver<ConnectResponse> responses, Welcome welcome) {
            this.responses = responses;
            this.welcome = welcome;
        }

        @Override
        public synchronized boolean ready() {
            return !ended && responses.isReady();
        }

        @Override
        public synchronized void send(Outgoing outgoing) {
            if (!ended) {
                responses.onNext(AgentProtos.render(outgoing, welcome));
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
