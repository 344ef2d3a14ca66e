package drover.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.kit.Waits;
import io.grpc.ConnectivityState;
import io.grpc.EquivalentAddressGroup;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.StatusOr;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is behind a name may change while a service runs: a container that was made anew. */
final class ChannelsTest {
    private static final String NAME = "door.example";
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration BUSY = Waits.LIMIT;

    private volatile List<Integer> ports = List.of(); // where the name leads
    private final NameResolverProvider names = new Names();

    private final class Names extends NameResolverProvider {
        @Override
        protected boolean isAvailable() {
            return true;
        }

        @Override
        protected int priority() {
            return 9; // before the usual one
        }

        @Override
        public String getDefaultScheme() {
            return "dns";
        }

        @Override
        public NameResolver newNameResolver(URI target, NameResolver.Args args) {
            return new Name(NAME + ":1");
        }
    }

    @SuppressWarnings("NullAway.Init") // a channel starts it before anything else
    private final class Name extends NameResolver {
        private final String authority;
        private Listener2 listener;

        Name(String authority) {
            this.authority = authority;
        }

        @Override
        public String getServiceAuthority() {
            return authority;
        }

        @Override
        public void start(Listener2 wanted) {
            listener = wanted;
            refresh();
        }

        @Override
        public void refresh() {
            List<EquivalentAddressGroup> places = ports.stream().map(ChannelsTest::place).toList();
            listener.onResult(
                    ResolutionResult.newBuilder()
                            .setAddressesOrError(StatusOr.fromValue(places))
                            .build());
        }

        @Override
        public void shutdown() {}
    }

    private static EquivalentAddressGroup place(int port) {
        return new EquivalentAddressGroup(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    @BeforeEach
    void answerForNames() {
        NameResolverRegistry.getDefaultRegistry().register(names);
    }

    @AfterEach
    void leaveNamesAlone() {
        NameResolverRegistry.getDefaultRegistry().deregister(names);
    }

    @Test
    void anEndpointThatHasMovedIsFoundByItsName() {
        GrpcServer first = startServer();
        leadsTo(first.port());
        ManagedChannel channel = Channels.open(new Address.Tcp(NAME, 1));
        try (GrpcServer second = startServer()) {
            assertThat(serves(channel)).isTrue();
            leadsTo(second.port());
            first.close();
            await().atMost(Waits.LIMIT).until(() -> serves(channel));
        } finally {
            channel.shutdownNow();
        }
    }

    /** As behind a firewall that has lost the first answer. */
    @Test
    void reconnectsToAnUnresponsiveEndpoint() throws IOException {
        ServerSocket unresponsive = listening();
        leadsTo(unresponsive.getLocalPort());
        ManagedChannel channel = channel();
        CompletableFuture<Boolean> served = awaited(channel);

        try (Socket taken = onlyCaller(unresponsive);
                GrpcServer server = startServerAt(unresponsive.getLocalPort())) {
            assertThat(served.join()).as("at %s", server.port()).isTrue();
            assertThat(isOver(taken)).as("given up by who dialled").isTrue();
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void soIsOneThatRefusedBefore() throws IOException {
        ServerSocket unresponsive = listening();
        leadsTo(1); // nobody is there
        ManagedChannel channel = channel();
        CompletableFuture<Boolean> served = awaited(channel);
        await().atMost(BUSY)
                .until(() -> channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE);
        leadsTo(unresponsive.getLocalPort());

        try (Socket taken = onlyCaller(unresponsive);
                GrpcServer server = startServerAt(unresponsive.getLocalPort())) {
            assertThat(served.join()).as("at %s", server.port()).isTrue();
            assertThat(isOver(taken)).as("given up by who dialled").isTrue();
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void ofSeveralAddressesThoseBehindAnUnresponsiveOneAreReachedTheMoreOftenItIsTried()
            throws IOException {
        try (ServerSocket unresponsive = listening();
                GrpcServer server = startServer()) {
            leadsTo(unresponsive.getLocalPort(), server.port());
            ManagedChannel channel = channel();

            assertThat(awaited(channel).join()).isTrue();

            channel.shutdownNow();
        }
    }

    /** Each channel would lose its connection once, and with it the streams that run over it. */
    @Test
    void doesNotReconnectToAReachedEndpoint() {
        try (GrpcServer server = startServer()) {
            leadsTo(server.port());
            ManagedChannel channel = channel();
            assertThat(serves(channel)).isTrue();
            CompletableFuture<Void> left = new CompletableFuture<>();
            channel.notifyWhenStateChanged(ConnectivityState.READY, () -> left.complete(null));

            assertThat(left)
                    .as("after twice its connect timeout")
                    .failsWithin(CONNECT_TIMEOUT.multipliedBy(2));

            assertThat(left).isNotDone();
            assertThat(channel.getState(false)).isEqualTo(ConnectivityState.READY);
            channel.shutdownNow();
        }
    }

    @Test
    void closingAConnectingChannelLeavesNothing() throws IOException {
        try (ServerSocket unresponsive = listening()) {
            leadsTo(unresponsive.getLocalPort());
            ManagedChannel channel = channelWith(Duration.ofDays(1));
            var _ = channel.getState(true);
            await().atMost(BUSY).until(() -> deadlinesOfADay() == 1);

            channel.shutdownNow();

            await().atMost(BUSY).until(() -> deadlinesOfADay() == 0);
        }
    }

    /** Of this test's alone: no other channel has this connect timeout. */
    private static long deadlinesOfADay() {
        return ConnectTimeoutReconnector.TIMER.getQueue().stream()
                .filter(task -> ((Delayed) task).getDelay(TimeUnit.HOURS) > 1)
                .count();
    }

    private static ServerSocket listening() throws IOException {
        return new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    }

    private void leadsTo(Integer... now) {
        ports = List.of(now);
    }

    private static ManagedChannel channel() {
        return channelWith(CONNECT_TIMEOUT);
    }

    private static ManagedChannel channelWith(Duration connectTimeout) {
        return Channels.open(
                new Address.Tcp(NAME, 1), InsecureChannelCredentials.create(), connectTimeout);
    }

    /** Whether the door serves before long, asked by somebody who waits for it. */
    private static CompletableFuture<Boolean> awaited(ManagedChannel channel) {
        HealthGrpc.HealthBlockingStub requesting =
                HealthGrpc.newBlockingStub(channel)
                        .withWaitForReady()
                        .withDeadlineAfter(BUSY.toSeconds(), TimeUnit.SECONDS);
        return CompletableFuture.supplyAsync(() -> serves(requesting), Thread::startVirtualThread);
    }

    /** Whoever comes first; the door is gone then. */
    private static Socket onlyCaller(ServerSocket socket) throws IOException {
        try (socket) {
            socket.setSoTimeout((int) BUSY.toMillis());
            return socket.accept();
        }
    }

    private static boolean isOver(Socket taken) throws IOException {
        taken.setSoTimeout((int) BUSY.toMillis());
        return taken.getInputStream().readAllBytes().length > 0; // all that it had to say
    }

    private static GrpcServer startServer() {
        return startServerAt(0);
    }

    private static GrpcServer startServerAt(int port) {
        return GrpcServer.builder().listen(new Address.Tcp("127.0.0.1", port));
    }

    private static boolean serves(ManagedChannel channel) {
        return serves(HealthGrpc.newBlockingStub(channel).withDeadlineAfter(5, TimeUnit.SECONDS));
    }

    private static boolean serves(HealthGrpc.HealthBlockingStub requesting) {
        try {
            return requesting.check(HealthCheckRequest.getDefaultInstance()).getStatus()
                    == ServingStatus.SERVING;
        } catch (StatusRuntimeException e) {
            return false;
        }
    }
}
