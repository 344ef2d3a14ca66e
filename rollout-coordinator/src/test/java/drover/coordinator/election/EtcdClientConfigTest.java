package drover.coordinator.election;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.Waits;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerStreamTracer;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class EtcdClientConfigTest {
    private static final Metadata.Key<String> REQUIRES_LEADER =
            Metadata.Key.of("hasleader", Metadata.ASCII_STRING_MARSHALLER);
    private static final Duration LONG_LEASE = Duration.ofMinutes(5); // calls wait a quarter of it

    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

    /** Knows no method, and hears what each call carries. */
    private Server listener() throws Exception {
        return NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addStreamTracerFactory(
                        new ServerStreamTracer.Factory() {
                            @Override
                            public ServerStreamTracer newServerStreamTracer(
                                    String method, Metadata headers) {
                                received.add(method + " " + headers.get(REQUIRES_LEADER));
                                return new ServerStreamTracer() {};
                            }
                        })
                .build()
                .start();
    }

    @Test
    @DisplayName("SECURITY.md: a member of etcd that has no leader refuses what it is asked")
    void everyCallDeclaresThatItRequiresALeader() throws Exception {
        Server server = listener();
        ByteSequence name = ByteSequence.from("a", StandardCharsets.UTF_8);
        EtcdClientConfig clientConfig =
                new EtcdClientConfig(
                        List.of(URI.create("http://127.0.0.1:" + server.getPort())),
                        Optional.empty());
        try (Client client = clientConfig.open(new LeaseDeadlineCalculator(LONG_LEASE))) {
            var _ = client.getLeaseClient().grant(10);
            assertThat(received.poll(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo("etcdserverpb.Lease/LeaseGrant true");

            var _ = client.getElectionClient().campaign(name, 1, name);
            assertThat(received.poll(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo("v3electionpb.Election/Campaign true");
        } finally {
            server.shutdownNow();
        }
    }
}
