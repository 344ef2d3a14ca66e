package drover.kit.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is behind a name may change while a service runs: a container that was made anew. */
final class ChannelsTest {
    private static final String NAME = "door.example";
    private static final Duration BUSY = Duration.ofSeconds(30); // for a machine that is

    private final AtomicInteger port = new AtomicInteger(); // where the name leads
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
            InetSocketAddress place =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port.get());
            listener.onResult(
                    ResolutionResult.newBuilder()
                            .setAddressesOrError(
                                    StatusOr.fromValue(List.of(new EquivalentAddressGroup(place))))
                            .build());
        }

        @Override
        public void shutdown() {}
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
    void aDoorThatHasMovedIsFoundByItsName() {
        GrpcHost first = door();
        port.set(first.port());
        ManagedChannel channel = Channels.to(new Address.Tcp(NAME, 1));
        try (GrpcHost second = door()) {
            assertThat(serves(channel)).isTrue();
            port.set(second.port());
            first.close();
            await().atMost(Duration.ofSeconds(20)).until(() -> serves(channel));
        } finally {
            channel.shutdownNow();
        }
    }

    /** As behind a firewall that has forgotten the connection. */
    @Test
    void aDoorThatTookAConnectionAndSaysNothingIsDialledAnew() throws IOException {
        ServerSocket mute = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        port.set(mute.getLocalPort());
        ManagedChannel channel =
                Channels.to(
                        new Address.Tcp(NAME, 1),
                        InsecureChannelCredentials.create(),
                        Duration.ofSeconds(1));
        CompletableFuture<Boolean> served =
                CompletableFuture.supplyAsync(
                        () -> serves(channel, BUSY), Thread::startVirtualThread);
        try (Socket taken = onlyCaller(mute);
                GrpcHost well = doorAt(port.get())) {
            assertThat(served.join()).as("at %s", well.port()).isTrue();
            assertThat(taken.isClosed()).as("by its door").isFalse();
        } finally {
            channel.shutdownNow();
        }
    }

    /** Whoever comes first; the door is gone then. */
    private static Socket onlyCaller(ServerSocket door) throws IOException {
        try (door) {
            door.setSoTimeout((int) BUSY.toMillis());
            return door.accept();
        }
    }

    private static GrpcHost door() {
        return doorAt(0);
    }

    private static GrpcHost doorAt(int port) {
        return GrpcHost.plan().listen(new Address.Tcp("127.0.0.1", port));
    }

    private static boolean serves(ManagedChannel channel) {
        return serves(channel, Duration.ofSeconds(5));
    }

    private static boolean serves(ManagedChannel channel, Duration atMost) {
        try {
            return HealthGrpc.newBlockingStub(channel)
                            .withDeadlineAfter(atMost.toSeconds(), TimeUnit.SECONDS)
                            .check(HealthCheckRequest.getDefaultInstance())
                            .getStatus()
                    == ServingStatus.SERVING;
        } catch (StatusRuntimeException e) {
            return false;
        }
    }
}
