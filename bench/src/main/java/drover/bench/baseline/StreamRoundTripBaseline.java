package drover.bench.baseline;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.AttemptStatus;
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
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The limit of a command's latency: one message at a time to one of many idle streams over TLS, and
 * its answer. Client and server are two processes of one machine, and so of one clock.
 */
public final class StreamRoundTripBaseline extends AgentServiceGrpc.AgentServiceImplBase
        implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofMinutes(2);
    private static final int ANSWER_SECONDS = 60;
    private static final InstantSource CLOCK = InstantSource.system();

    private final StreamWorkload shape;
    private final List<StreamObserver<ConnectResponse>> streams = new CopyOnWriteArrayList<>();
    private final BlockingQueue<TimedResponse> answers = new LinkedBlockingQueue<>();
    private final GrpcServer host;
    private final ServiceProcess clients;

    /**
     * One message and its answer.
     *
     * @param request until the client had it, by the clock that both read
     * @param response until its answer was here
     */
    public record RoundTrip(Duration request, Duration response) {}

    /**
     * @param received when the client had the command, as it says
     * @param nanos when its answer came, monotonic
     */
    private record TimedResponse(Instant received, long nanos) {}

    /** Opens a server here and all the streams to it from another process. */
    public static StreamRoundTripBaseline open(
            Path logs, StartedResources running, int streams, BareTlsFiles tls) {
        StreamRoundTripBaseline bare = new StreamRoundTripBaseline(logs, running, streams, tls);
        if (!Await.until(CONNECT, () -> bare.streams.size() == streams)) {
            int connected = bare.streams.size();
            bare.close();
            throw new UserFacingError("Only " + connected + " of the bare streams were opened.");
        }
        return bare;
    }

    private StreamRoundTripBaseline(
            Path logs, StartedResources running, int streams, BareTlsFiles tls) {
        StreamWorkload usual = StreamWorkload.of(streams, 1);
        this.shape = new StreamWorkload(streams, 1, 1, usual.commandBytes(), usual.statusBytes());
        this.host =
                GrpcServer.builder()
                        .addService(this)
                        .credentials(tls.serverCredentials())
                        .listen(new Address.Tcp("127.0.0.1", 0));
        this.clients =
                BareClientsLauncher.start(
                        logs,
                        running,
                        "127.0.0.1:" + host.port(),
                        shape,
                        true,
                        Optional.of(tls.clientDirectory()));
    }

    @Override
    public StreamObserver<ConnectRequest> connect(StreamObserver<ConnectResponse> toAgent) {
        return new StreamObserver<>() {
            @Override
            public void onNext(ConnectRequest message) {
                if (message.hasHello()) {
                    streams.add(toAgent);
                } else {
                    answers.add(toTimedResponse(message.getStatus(), System.nanoTime()));
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

    private static TimedResponse toTimedResponse(AttemptStatus status, long nanos) {
        return new TimedResponse(Instant.parse(status.getDetail()), nanos);
    }

    /**
     * One message after the other, each to the next stream.
     *
     * @param rest before each, so that neither end is busier than where nothing else is asked
     */
    public List<RoundTrip> measureRoundTrips(int count, Duration rest) {
        ConnectResponse command = shape.command();
        List<RoundTrip> trips = new ArrayList<>();
        for (int trip = 0; trip < count; trip++) {
            var _ = Await.until(rest, rest, () -> false);
            trips.add(measureRoundTrip(streams.get(trip % streams.size()), command));
        }
        return trips;
    }

    private RoundTrip measureRoundTrip(
            StreamObserver<ConnectResponse> stream, ConnectResponse command) {
        Instant sent = CLOCK.instant();
        long started = System.nanoTime();
        stream.onNext(command);
        TimedResponse answer = awaitResponse();
        return new RoundTrip(
                Duration.between(sent, answer.received()),
                Duration.ofNanos(answer.nanos() - started));
    }

    private TimedResponse awaitResponse() {
        try {
            TimedResponse answer = answers.poll(ANSWER_SECONDS, TimeUnit.SECONDS);
            if (answer == null) {
                throw new UserFacingError("A bare stream does not answer.");
            }
            return answer;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserFacingError("The measurement was ended.", e);
        }
    }

    @Override
    public void close() {
        clients.kill();
        host.close();
    }
}
