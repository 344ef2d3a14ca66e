package drover.gateway.api;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Welcome;
import drover.gateway.engine.RevocationWatch;
import drover.gateway.engine.SessionTable;
import drover.gateway.engine.Ticker;
import drover.gateway.session.StreamAge;
import drover.kit.grpc.StreamRate;
import drover.kit.tls.Peer;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/** The door that agents dial into. */
public final class AgentDoor extends AgentServiceGrpc.AgentServiceImplBase {
    private final SessionTable table;
    private final Ticker ticker;
    private final RevocationWatch revocations;
    private final Welcome welcome;
    private final StreamAge age;
    private final InstantSource clock;
    private final StreamRate.Limits rate;
    private final RandomGenerator random = new SecureRandom();

    /**
     * A door that tells agents these intervals.
     *
     * @param age before which an agent is asked to dial again
     * @param rate of the messages of one stream
     */
    public AgentDoor(
            SessionTable table,
            Ticker ticker,
            RevocationWatch revocations,
            HeartbeatPace pace,
            StreamAge age,
            InstantSource clock,
            StreamRate.Limits rate) {
        this.table = table;
        this.ticker = ticker;
        this.revocations = revocations;
        this.welcome = pace.welcome();
        this.age = age;
        this.clock = clock;
        this.rate = rate;
    }

    @Override
    public StreamObserver<ConnectRequest> connect(StreamObserver<ConnectResponse> responses) {
        NodeCredentials.Caller caller = NodeCredentials.caller();
        Welcome forCaller = welcome.toBuilder().setNodeId(caller.node().id().value()).build();
        AgentStream stream =
                new AgentStream(
                        caller,
                        table,
                        revocations,
                        new AgentStream.GrpcWire(
                                (ServerCallStreamObserver<ConnectResponse>) responses, forCaller),
                        new AgentStream.Intake(
                                ticker, new StreamRate(rate, table::nanoTime), clock));
        stream.begin(Peer.current().map(Peer::until).map(this::left), age.askedAfter(random));
        return stream;
    }

    private Duration left(Instant until) {
        return Duration.between(clock.instant(), until);
    }
}
