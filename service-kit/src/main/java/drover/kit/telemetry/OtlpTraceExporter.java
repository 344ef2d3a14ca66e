package drover.kit.telemetry;

import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Sends spans by OTLP with the exporter that the SDK makes from its properties. The SDK's own queue
 * is gone round: it drops what it cannot send, and here the answer decides what is sent again.
 */
final class OtlpTraceExporter implements TraceExporter {
    /** Beyond the exporter's 10 s for a call and its 5 tries with up to 5 s in between. */
    private static final long EXPORT_TIMEOUT_SECONDS = 90;

    private final OpenTelemetrySdk sdk;
    private final SpanExporter exporter;
    private final Resource resource;

    private OtlpTraceExporter(OpenTelemetrySdk sdk, SpanExporter exporter, Resource resource) {
        this.sdk = sdk;
        this.exporter = exporter;
        this.resource = resource;
    }

    /**
     * @throws RuntimeException when a property has a value that cannot be used
     */
    static TraceExporter open(Map<String, String> properties) {
        List<SpanExporter> exporters = new ArrayList<>();
        List<Resource> resources = new ArrayList<>();
        OpenTelemetrySdk sdk =
                AutoConfiguredOpenTelemetrySdk.builder()
                        .disableShutdownHook() // whoever opened it closes it
                        .addPropertiesCustomizer(config -> properties)
                        .addResourceCustomizer(
                                (resource, config) -> {
                                    resources.add(resource);
                                    return resource;
                                })
                        .addSpanExporterCustomizer(
                                (exporter, config) -> {
                                    exporters.add(exporter);
                                    return exporter;
                                })
                        .build()
                        .getOpenTelemetrySdk();
        if (exporters.isEmpty()) {
            sdk.close();
            return TraceExporter.disabled();
        }
        return new OtlpTraceExporter(sdk, SpanExporter.composite(exporters), resources.getLast());
    }

    @Override
    public boolean isEnabled() {
        return true;
    }

    @Override
    public boolean export(List<EndedSpan> spans) {
        if (spans.size() > MAX_BATCH) {
            throw new IllegalArgumentException(
                    "At most " + MAX_BATCH + " spans are sent at once, not " + spans.size());
        }
        List<SpanData> received =
                spans.stream().<SpanData>map(span -> new OtlpSpan(span, resource)).toList();
        CompletableResultCode result = exporter.export(received);
        return result.join(EXPORT_TIMEOUT_SECONDS, TimeUnit.SECONDS).isSuccess();
    }

    @Override
    public void close() {
        sdk.close();
    }
}
