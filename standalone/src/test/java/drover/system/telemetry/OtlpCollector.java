package drover.system.telemetry;

import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;
import io.opentelemetry.proto.collector.trace.v1.TraceServiceGrpc;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The receiving end of OTLP over gRPC, as a collector has it: keeps every span that comes. */
final class OtlpCollector implements AutoCloseable {
    private static final int COLUMNS = 30;

    private final List<Span> spans = new ArrayList<>();
    private final Server server;

    private OtlpCollector(InetSocketAddress address, Consumer<Span> received) throws IOException {
        server =
                NettyServerBuilder.forAddress(address)
                        .addService(
                                new TraceServiceGrpc.TraceServiceImplBase() {
                                    @Override
                                    public void export(
                                            ExportTraceServiceRequest request,
                                            StreamObserver<ExportTraceServiceResponse> answer) {
                                        keep(request, received);
                                        answer.onNext(
                                                ExportTraceServiceResponse.getDefaultInstance());
                                        answer.onCompleted();
                                    }
                                })
                        .build()
                        .start();
    }

    static OtlpCollector open() throws IOException {
        return new OtlpCollector(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), span -> {});
    }

    /** In a container, at the port that is given: says name and trace of each span, one a line. */
    public static void main(String[] port) throws Exception {
        new OtlpCollector(
                        new InetSocketAddress(Integer.parseInt(port[0])),
                        span -> System.out.println(span.getName() + " " + trace(span)))
                .server.awaitTermination();
    }

    static String trace(Span span) {
        return HexFormat.of().formatHex(span.getTraceId().toByteArray());
    }

    /** What an operator sets, and nothing else. */
    Map<String, String> environment() {
        return Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "http://127.0.0.1:" + server.getPort(),
                "OTEL_EXPORTER_OTLP_PROTOCOL",
                "grpc");
    }

    private synchronized void keep(ExportTraceServiceRequest request, Consumer<Span> received) {
        for (ResourceSpans resource : request.getResourceSpansList()) {
            for (ScopeSpans scope : resource.getScopeSpansList()) {
                spans.addAll(scope.getSpansList());
                scope.getSpansList().forEach(received);
            }
        }
    }

    /** Everything that came, with what came twice. */
    synchronized List<Span> spans() {
        return List.copyOf(spans);
    }

    List<Span> named(String name) {
        return spans().stream().filter(span -> span.getName().equals(name)).distinct().toList();
    }

    static String id(Span span) {
        return HexFormat.of().formatHex(span.getSpanId().toByteArray());
    }

    static String parent(Span span) {
        return HexFormat.of().formatHex(span.getParentSpanId().toByteArray());
    }

    static String text(Span span, String attribute) {
        return span.getAttributesList().stream()
                .filter(it -> it.getKey().equals(attribute))
                .map(KeyValue::getValue)
                .map(it -> it.hasIntValue() ? Long.toString(it.getIntValue()) : it.getStringValue())
                .findFirst()
                .orElse("");
    }

    /** As a trace view draws it; what {@code docs/operations.md} shows. */
    String waterfall() {
        List<Span> all = spans().stream().distinct().toList();
        Span root = all.stream().filter(it -> parent(it).isEmpty()).findFirst().orElseThrow();
        long end = all.stream().mapToLong(Span::getEndTimeUnixNano).max().orElseThrow();
        StringBuilder drawn = new StringBuilder();
        draw(drawn, all, root, 0, root.getStartTimeUnixNano(), end);
        return drawn.toString();
    }

    private static void draw(
            StringBuilder to, List<Span> all, Span span, int depth, long from, long until) {
        double scale = (double) COLUMNS / (until - from);
        int before = (int) Math.round((span.getStartTimeUnixNano() - from) * scale);
        long length = span.getEndTimeUnixNano() - span.getStartTimeUnixNano();
        int separator = Math.max(1, (int) Math.round(length * scale));
        String label = "  ".repeat(depth) + span.getName() + detail(span);
        String line = " ".repeat(Math.max(0, before)) + "=".repeat(separator);
        to.append("%-34s %6d ms |%s%n".formatted(label, length / 1_000_000, line));
        all.stream()
                .filter(it -> parent(it).equals(id(span)))
                .sorted(Comparator.comparingLong(Span::getStartTimeUnixNano))
                .forEach(it -> draw(to, all, it, depth + 1, from, until));
    }

    private static String detail(Span span) {
        return switch (span.getName()) {
            case "batch" -> " " + text(span, "drover.batch");
            case "node", "restore" -> " " + text(span, "drover.node.id");
            default -> "";
        };
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
