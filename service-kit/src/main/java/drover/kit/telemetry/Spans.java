package drover.kit.telemetry;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides from OpenTelemetry's standard environment variables whether spans are wanted, and where
 * they go. Nothing is started unless one of {@link #ASKING} is set.
 */
public final class Spans {
    private static final Logger LOG = LoggerFactory.getLogger(Spans.class);

    /** Any of these, not empty, asks for traces. */
    static final List<String> ASKING =
            List.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT",
                    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
                    "OTEL_TRACES_EXPORTER");

    private Spans() {}

    /**
     * The receiver that the environment names. A setting that cannot be used is told in the log and
     * means no traces: telemetry must never keep a service from its work.
     *
     * @param environment the process's variables
     * @param service name of the service unless {@code OTEL_SERVICE_NAME} says another
     */
    public static SpanReceiver from(Map<String, String> environment, String service) {
        if (!isAsked(environment)) {
            return SpanReceiver.none();
        }
        try {
            SpanReceiver receiver = OtlpReceiver.open(properties(environment, service));
            if (receiver.isWanted()) {
                LOG.info("Traces are exported service={}", service);
            }
            return receiver;
        } catch (RuntimeException e) { // a value that the exporter does not understand
            LOG.warn("Traces are off: check the OTEL_ variables reason={}", e.getMessage());
            return SpanReceiver.none();
        }
    }

    private static boolean isAsked(Map<String, String> environment) {
        boolean disabled =
                "true".equalsIgnoreCase(environment.getOrDefault("OTEL_SDK_DISABLED", ""));
        boolean none = "none".equalsIgnoreCase(environment.get("OTEL_TRACES_EXPORTER"));
        return !disabled
                && !none
                && ASKING.stream().anyMatch(name -> !environment.getOrDefault(name, "").isBlank());
    }

    /**
     * The variables as the SDK's properties ({@code OTEL_SERVICE_NAME} is {@code
     * otel.service.name}), over the house's defaults. OTLP over HTTP is the default that the
     * specification names; the Java SDK alone would take gRPC.
     */
    static Map<String, String> properties(Map<String, String> environment, String service) {
        Map<String, String> properties = new TreeMap<>();
        properties.put("otel.service.name", service);
        properties.put("otel.exporter.otlp.protocol", "http/protobuf");
        environment.forEach(
                (name, value) -> {
                    if (name.startsWith("OTEL_") && !value.isBlank()) {
                        properties.put(name.toLowerCase(Locale.ROOT).replace('_', '.'), value);
                    }
                });
        properties.put("otel.metrics.exporter", "none"); // traces alone
        properties.put("otel.logs.exporter", "none");
        return properties;
    }
}
