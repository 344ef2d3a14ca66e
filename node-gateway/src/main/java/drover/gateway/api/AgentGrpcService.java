package drover.gateway.api;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Welcome;
import drover.gateway.engine.TaskScheduler;
import drover.gateway.engine.credential.RevocationMonitor;
import drover.gateway.engine.session.SessionTable;
import drover.gateway.session.MaxConnectionAge;
import drover.kit.grpc.StreamRateLimiter;
import drover.kit.tls.Peer;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/** The door that agents dial into. */
public final class AgentGrpcService extends AgentServiceGrpc.AgentServiceImplBase {
    private final SessionTable table;
    private final TaskScheduler ticker;
    private final RevocationMonitor revocations;
    private final Welcome welcome;
    private final MaxConnectionAge age;
    private final InstantSource clock;
    private final StreamRateLimiter.Limits rate;
    private final RandomGenerator random = new SecureRandom();

    /**
     * A door that tells agents these intervals.
     *
     * @param age before which an agent is asked to dial again
     * @param rate of the messages of one stream
     */
    public AgentGrpcService(
            SessionTable table,
            TaskScheduler ticker,
            RevocationMonitor revocations,
            IdleAndActiveIntervals pace,
            MaxConnectionAge age,
            InstantSource clock,
            StreamRateLimiter.Limits rate) {
        this.table = table;
        this.ticker = ticker;
        this.revocations = revocations;
        this.welcome = pace.toWelcome();
        this.age = age;
        this.clock = clock;
        this.rate = rate;
    }

    @Override
    public StreamObserver<ConnectRequest> connect(StreamObserver<ConnectResponse> responses) {
        NodeTokenInterceptor.AuthenticatedNode caller = NodeTokenInterceptor.currentCaller();
        Welcome forCaller = welcome.toBuilder().setNodeId(caller.node().id().value()).build();
        AgentStream stream =
                new AgentStream(
                        caller,
                        table,
                        revocations,
                        new AgentStream.GrpcStreamToAgent(
                                (ServerCallStreamObserver<ConnectResponse>) responses, forCaller),
                        new AgentStream.RateLimitAndClocks(
                                ticker, new StreamRateLimiter(rate, table::nanoTime), clock));
        stream.start(
                Peer.current().map(Peer::notAfter).map(this::timeUntil),
                age.randomReconnectDelay(random));
        return stream;
    }

    private Duration timeUntil(Instant until) {
        return Duration.between(clock.instant(), until);
    }
}
