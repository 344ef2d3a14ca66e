package drover.kit.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceExportersTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00.000001Z");
    private static final EndedSpan CHILD =
            new EndedSpan(
                    "0123456789abcdef0123456789abcdef",
                    "00000000000000ab",
                    "00000000000000aa",
                    "node",
                    START,
                    START.plusMillis(5),
                    Map.of("drover.node.id", "berth-01", "drover.attempt", 7L, "canary", true),
                    List.of(
                            new EndedSpan.Event(
                                    START.plusMillis(1), "settling", Map.of("code", "INSTALLED"))),
                    "It fell over.");

    private final BlockingQueue<ExportTraceServiceRequest> received = new LinkedBlockingQueue<>();

    @Test
    void startsNoTracingByDefault() {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try (TraceExporter receiver =
                TraceExporters.fromEnvironment(Map.of("PATH", "/bin"), "a-service")) {
            assertThat(receiver.isEnabled()).isFalse();
        }
        assertThat(telemetryThreads(before)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "OTEL_SDK_DISABLED,true",
        "OTEL_TRACES_EXPORTER,none",
        "OTEL_EXPORTER_OTLP_PROTOCOL,carrier-pigeon",
        "OTEL_TRACES_EXPORTER,unheard-of"
    })
    void anEndpointAloneIsNotEnough(String name, String value) {
        Map<String, String> environment =
                Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1", name, value);
        try (TraceExporter receiver = TraceExporters.fromEnvironment(environment, "a-service")) {
            assertThat(receiver.isEnabled()).isFalse();
        }
    }

    @Test
    void sendsOverHttpByDefaultUnderTheIdsItWasGiven() throws Exception {
        HttpServer server = httpReceiver();
        try (TraceExporter receiver =
                TraceExporters.fromEnvironment(
                        Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", url(server.getAddress().getPort())),
                        "a-service")) {
            assertThat(receiver.export(List.of(CHILD))).isTrue();
            assertIsTheChild(received.take(), "a-service");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void exportsOverGrpcByOption() throws Exception {
        Server server = grpcReceiver();
        try (TraceExporter receiver =
                TraceExporters.fromEnvironment(
                        Map.of(
                                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
                                url(server.getPort()),
                                "OTEL_EXPORTER_OTLP_PROTOCOL",
                                "grpc",
                                "OTEL_SERVICE_NAME",
                                "another-name"),
                        "a-service")) {
            assertThat(receiver.export(List.of(CHILD))).isTrue();
            assertIsTheChild(received.take(), "another-name");
        } finally {
            server.shutdownNow();
        }
    }

    @Test
    void reportsSpansThatWereNotExported() throws IOException {
        int none;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            none = free.getLocalPort();
        }
        Map<String, String> environment =
                Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                        url(none),
                        "OTEL_EXPORTER_OTLP_TIMEOUT",
                        "500",
                        "OTEL_JAVA_EXPORTER_OTLP_RETRY_DISABLED",
                        "true");
        try (TraceExporter receiver = TraceExporters.fromEnvironment(environment, "a-service")) {
            assertThat(receiver.isEnabled()).isTrue();
            assertThat(receiver.export(List.of(CHILD))).isFalse();
        }
    }

    private static void assertIsTheChild(ExportTraceServiceRequest request, String service) {
        ResourceSpans resource = request.getResourceSpans(0);
        assertThat(texts(resource.getResource().getAttributesList()))
                .containsEntry("service.name", service);
        Span span = resource.getScopeSpans(0).getSpans(0);
        assertThat(hex(span.getTraceId())).isEqualTo(CHILD.traceId());
        assertThat(hex(span.getSpanId())).isEqualTo(CHILD.spanId());
        assertThat(hex(span.getParentSpanId())).isEqualTo(CHILD.parentId());
        assertThat(span.getName()).isEqualTo("node");
        assertThat(span.getEndTimeUnixNano() - span.getStartTimeUnixNano()).isEqualTo(5_000_000L);
        assertThat(span.getStatus().getCode()).isEqualTo(Status.StatusCode.STATUS_CODE_ERROR);
        assertThat(span.getStatus().getMessage()).isEqualTo("It fell over.");
        assertThat(texts(span.getAttributesList())).containsEntry("drover.node.id", "berth-01");
        assertThat(span.getEvents(0).getName()).isEqualTo("settling");
    }

    private static Map<String, String> texts(List<KeyValue> attributes) {
        return attributes.stream()
                .collect(Collectors.toMap(KeyValue::getKey, it -> it.getValue().getStringValue()));
    }

    private static String hex(com.google.protobuf.ByteString bytes) {
        return HexFormat.of().formatHex(bytes.toByteArray());
    }

    private static String url(int port) {
        return "http://127.0.0.1:" + port;
    }

    private static List<String> telemetryThreads(Set<Thread> before) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .map(Thread::getName)
                .filter(name -> name.contains("SpanProcessor") || name.contains("HttpClient"))
                .toList();
    }

    private HttpServer httpReceiver() throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/v1/traces",
                exchange -> {
                    boolean zipped =
                            "gzip"
                                    .equals(
                                            exchange.getRequestHeaders()
                                                    .getFirst("Content-Encoding"));
                    try (var body =
                            zipped
                                    ? new GZIPInputStream(exchange.getRequestBody())
                                    : exchange.getRequestBody()) {
                        received.add(ExportTraceServiceRequest.parseFrom(body));
                    }
                    exchange.sendResponseHeaders(200, -1);
                    exchange.close();
                });
        server.start();
        return server;
    }

    private Server grpcReceiver() throws IOException {
        return NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(
                        new TraceServiceGrpc.TraceServiceImplBase() {
                            @Override
                            public void export(
                                    ExportTraceServiceRequest request,
                                    StreamObserver<ExportTraceServiceResponse> answer) {
                                received.add(request);
                                answer.onNext(ExportTraceServiceResponse.getDefaultInstance());
                                answer.onCompleted();
                            }
                        })
                .build()
                .start();
    }
}
