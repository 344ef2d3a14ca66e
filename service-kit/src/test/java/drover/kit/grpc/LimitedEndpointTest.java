package drover.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import drover.kit.Waits;
import drover.kit.access.AccessTable;
import drover.kit.access.Principal;
import drover.kit.access.Scope;
import drover.kit.rest.HttpServer;
import drover.model.RefusalCode;
import drover.rollout.v1.ListRolloutsRequest;
import drover.rollout.v1.ListRolloutsResponse;
import drover.rollout.v1.RolloutServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An operators' endpoint on a real port, and clients without a key that take what they can. */
@Timeout(600)
@SuppressWarnings("NullAway.Init") // every test opens its endpoint first
final class LimitedEndpointTest {
    private static final ScopeAuthorizer GATE =
            new ScopeAuthorizer(
                    AccessTable.builder()
                            .require(
                                    Scope.ROLLOUTS_READ,
                                    RolloutServiceGrpc.SERVICE_NAME,
                                    RolloutServiceGrpc.getServiceDescriptor().getMethods().stream()
                                            .map(MethodDescriptor::getBareMethodName)
                                            .toArray(String[]::new))
                            .build(),
                    LimitedEndpointTest::authenticate);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final AtomicInteger rejected = new AtomicInteger();
    private GrpcServer host;

    private static Principal authenticate(String header) {
        if (header.equals("Bearer good")) {
            return new Principal(Principal.Kind.KEY, "good", Set.of(Scope.ROLLOUTS_READ));
        }
        throw new Refused(RefusalCode.CREDENTIAL_MISSING, "The call brings no key.");
    }

    private static final class Lists extends RolloutServiceGrpc.RolloutServiceImplBase {
        @Override
        public void listRollouts(
                ListRolloutsRequest request, StreamObserver<ListRolloutsResponse> response) {
            response.onNext(ListRolloutsResponse.getDefaultInstance());
            response.onCompleted();
        }
    }

    /** Counts streams that are open and streams that the server refused. */
    private static final class Watch implements StreamObserver<HealthCheckResponse> {
        private final AtomicInteger open;
        private final AtomicInteger refused;

        Watch(AtomicInteger open, AtomicInteger refused) {
            this.open = open;
            this.refused = refused;
        }

        @Override
        public void onNext(HealthCheckResponse response) {
            open.incrementAndGet();
        }

        @Override
        public void onError(Throwable failure) {
            refused.incrementAndGet();
        }

        @Override
        public void onCompleted() {}
    }

    private void open(EndpointLimits limits) {
        host =
                GrpcServer.builder()
                        .addService(new Lists())
                        .accessControl(GATE)
                        .withReflection()
                        .limits(limits, limits.createRateLimiter("test", rejected::incrementAndGet))
                        .listen(Address.parse("127.0.0.1:0"));
        parts.push(host);
    }

    private static EndpointLimits limits(int connections, int most) {
        ConnectionLimits usual = ConnectionLimits.OPERATORS;
        return EndpointLimits.OPERATORS.with(
                new ConnectionLimits(
                        connections,
                        connections,
                        most,
                        usual.maxAge(),
                        usual.grace(),
                        usual.idle(),
                        usual.keepaliveTime(),
                        usual.keepaliveTimeout()));
    }

    private ManagedChannel channel() {
        ManagedChannel channel = Channels.open(new Address.Tcp("127.0.0.1", host.port()));
        parts.push(channel::shutdownNow);
        return channel;
    }

    private static void list(ManagedChannel channel) {
        Metadata key = new Metadata();
        key.put(
                Metadata.Key.of(AuthorizationInterceptor.HEADER, Metadata.ASCII_STRING_MARSHALLER),
                "Bearer good");
        var _ =
                RolloutServiceGrpc.newBlockingStub(channel)
                        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(key))
                        .listRollouts(ListRolloutsRequest.getDefaultInstance());
    }

    private Socket connected(int port) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout((int) Waits.LIMIT.toMillis());
        parts.push(socket);
        return socket;
    }

    /** Whether the server closes it, with an end or a reset, before it sends anything. */
    private static boolean isClosed(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() == -1;
        } catch (SocketException e) {
            return true;
        }
    }

    @AfterEach
    void close() throws Exception {
        while (!parts.isEmpty()) {
            parts.pop().close();
        }
    }

    @Test
    void limitsStreamsWithoutAKeyAndServesCallsWithOne() {
        open(EndpointLimits.OPERATORS);
        AtomicInteger watching = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        for (int connection = 0; connection < 5; connection++) {
            ManagedChannel channel = channel();
            for (int i = 0; i < 60; i++) {
                HealthGrpc.newStub(channel)
                        .watch(
                                HealthCheckRequest.getDefaultInstance(),
                                new Watch(watching, refused));
            }
        }
        await().atMost(Waits.LIMIT)
                .untilAsserted(() -> assertThat(watching.get() + refused.get()).isEqualTo(300));
        assertThat(watching).hasValue(64);
        assertThatCode(() -> list(channel())).doesNotThrowAnyException();
    }

    /** At most three at once, and one more for each second that the machine takes. */
    @Test
    void closesConnectionsOverTheRate() throws Exception {
        long start = System.nanoTime();
        open(limits(1, 1_000));
        ManagedChannel operator = channel();
        list(operator);
        long admitted = 1;
        for (int i = 0; i < 20; i++) {
            if (!isClosed(connected(host.port()))) {
                admitted++;
            }
        }
        long seconds = 1 + (System.nanoTime() - start) / 1_000_000_000;
        assertThat(admitted).isLessThanOrEqualTo(3 + seconds);
        assertThat(rejected).hasPositiveValue();
        list(operator);
    }

    @Test
    void closesConnectionsOverTheNumberThatMayBeOpen() throws Exception {
        open(limits(1_000, 2));
        ManagedChannel operator = channel();
        list(operator);
        Socket second = connected(host.port());
        await().atMost(Waits.LIMIT)
                .untilAsserted(() -> assertThat(isClosed(connected(host.port()))).isTrue());
        second.close();
        list(operator);
    }

    @Test
    void closesConnectionsToAnHttpEndpointOverTheRate() throws Exception {
        ConnectionRateAndCountLimiter limiter =
                limits(1, 1_000).createRateLimiter("test", rejected::incrementAndGet);
        try (HttpServer http =
                HttpServer.builder().rateLimiter(limiter).listen(new Address.Tcp("127.0.0.1", 0))) {
            for (int i = 0; i < 3; i++) {
                connected(http.port());
            }
            assertThat(isClosed(connected(http.port()))).isTrue();
            assertThat(rejected).hasPositiveValue();
        }
    }
}
