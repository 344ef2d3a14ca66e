package drover.kit.rest;

import static org.assertj.core.api.Assertions.assertThat;

import drover.incident.v1.IncidentServiceGrpc;
import drover.kit.grpc.Address;
import drover.node.v1.NodeServiceGrpc;
import drover.rollout.v1.RolloutGroupServiceGrpc;
import drover.rollout.v1.RolloutServiceGrpc;
import io.grpc.HandlerRegistry;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Server;
import io.grpc.ServerMethodDefinition;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every path that was asked for leads to the call that does it, with its ids in their fields. */
class RequiredRoutesTest {
    private static final String NAME = "seed-routes-test";
    private static final List<Called> CALLED = new CopyOnWriteArrayList<>();

    private static Server server;
    private static ManagedChannel channel;
    private static HttpServer http;

    private record Called(String method, String body) {}

    @BeforeAll
    static void start() throws IOException {
        server =
                InProcessServerBuilder.forName(NAME)
                        .fallbackHandlerRegistry(new RecordingRegistry())
                        .build()
                        .start();
        channel = InProcessChannelBuilder.forName(NAME).build();
        RestTranscoder mapping =
                RestTranscoder.of(
                        channel,
                        RolloutServiceGrpc.getServiceDescriptor(),
                        RolloutGroupServiceGrpc.getServiceDescriptor(),
                        NodeServiceGrpc.getServiceDescriptor(),
                        IncidentServiceGrpc.getServiceDescriptor());
        http = HttpServer.builder().rest(mapping).listen(new Address.Tcp("127.0.0.1", 0));
    }

    @AfterAll
    static void stop() {
        http.close();
        channel.shutdownNow();
        server.shutdownNow();
    }

    @ParameterizedTest
    @CsvSource({
        "POST, /rollouts/some-id/approve-canary, rollout.v1.RolloutService/ApproveCanary",
        "POST, /rollouts/some-id/force, rollout.v1.RolloutService/ForceRollout",
        "POST, /rollouts/some-id/skip, rollout.v1.RolloutService/SkipNodes",
        "POST, /rollouts/some-id/nodes/n-1/skip, rollout.v1.RolloutService/SkipNode",
        "POST, /rollouts/some-id/nodes/n-1/hold, rollout.v1.RolloutService/HoldNode",
        "POST, /rollouts/some-id/nodes/n-1/retry, rollout.v1.RolloutService/RetryNode",
        "POST, /nodes/some-id/clear, node.v1.NodeService/ClearNode",
        "GET, /nodes/some-id/desired, node.v1.NodeService/GetDesired",
        "POST, /rollout-groups/some-id/pause, rollout.v1.RolloutGroupService/PauseRolloutGroup",
        "POST, /rollout-groups/some-id/resume, rollout.v1.RolloutGroupService/ResumeRolloutGroup",
        "POST, /rollout-groups/some-id/rollback,"
                + " rollout.v1.RolloutGroupService/RollbackRolloutGroup",
        "POST, /rollout-groups/some-id/skip, rollout.v1.RolloutGroupService/SkipComponent",
        "POST, /incidents/some-id/acknowledge, incident.v1.IncidentService/AcknowledgeIncident",
        "POST, /incidents/some-id/resolve, incident.v1.IncidentService/ResolveIncident",
    })
    void leadsToItsCall(String method, String path, String call) throws Exception {
        drive(method, path);
        assertThat(CALLED.getLast().method()).isEqualTo("drover." + call);
        assertThat(CALLED.getLast().body()).contains("some-id");
        assertThat(!path.contains("n-1") || CALLED.getLast().body().contains("n-1")).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"GET, /incidents, incident.v1.IncidentService/ListIncidents"})
    void leadsToItsList(String method, String path, String call) throws Exception {
        drive(method, path);
        assertThat(CALLED.getLast().method()).isEqualTo("drover." + call);
    }

    private static void drive(String method, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + http.port() + "/api/v1" + path);
        HttpRequest request =
                HttpRequest.newBuilder(uri)
                        .method(
                                method,
                                method.equals("GET")
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofString("{}"))
                        .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            assertThat(client.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
        }
    }

    /** Answers every call with an empty message, and remembers it. */
    private static final class RecordingRegistry extends HandlerRegistry {
        @Override
        public ServerMethodDefinition<?, ?> lookupMethod(String name, @Nullable String authority) {
            return ServerMethodDefinition.create(
                    MethodDescriptor.<byte[], byte[]>newBuilder(new Bytes(), new Bytes())
                            .setType(MethodDescriptor.MethodType.UNARY)
                            .setFullMethodName(name)
                            .build(),
                    ServerCalls.asyncUnaryCall(
                            (request, out) -> {
                                CALLED.add(
                                        new Called(
                                                name,
                                                new String(request, StandardCharsets.ISO_8859_1)));
                                out.onNext(new byte[0]);
                                out.onCompleted();
                            }));
        }
    }

    private static final class Bytes implements Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
