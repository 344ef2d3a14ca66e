package drover.kit.telemetry;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides from OpenTelemetry's standard environment variables whether spans are wanted, and where
 * they go. Nothing is started unless one of {@link #ENABLING_VARIABLES} is set.
 */
public final class TraceExporters {
    private static final Logger LOG = LoggerFactory.getLogger(TraceExporters.class);

    /** Any of these, not empty, asks for traces. */
    static final List<String> ENABLING_VARIABLES =
            List.of(
                    "OTEL_EXPORTER_OTLP_ENDPOINT",
                    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
                    "OTEL_TRACES_EXPORTER");

    private TraceExporters() {}

    /**
     * The receiver that the environment names. A setting that cannot be used is told in the log and
     * means no traces: telemetry must never keep a service from its work.
     *
     * @param environment the process's variables
     * @param service name of the service unless {@code OTEL_SERVICE_NAME} says another
     */
    public static TraceExporter fromEnvironment(Map<String, String> environment, String service) {
        if (!isEnabled(environment)) {
            return TraceExporter.disabled();
        }
        try {
            TraceExporter receiver = OtlpTraceExporter.open(properties(environment, service));
            if (receiver.isEnabled()) {
                LOG.info("Traces are exported service={}", service);
            }
            return receiver;
        } catch (RuntimeException e) { // a value that the exporter does not understand
            LOG.warn("Traces are off: check the OTEL_ variables reason={}", e.getMessage());
            return TraceExporter.disabled();
        }
    }

    private static boolean isEnabled(Map<String, String> environment) {
        boolean disabled =
                "true".equalsIgnoreCase(environment.getOrDefault("OTEL_SDK_DISABLED", ""));
        boolean none = "none".equalsIgnoreCase(environment.get("OTEL_TRACES_EXPORTER"));
        return !disabled
                && !none
                && ENABLING_VARIABLES.stream()
                        .anyMatch(name -> !environment.getOrDefault(name, "").isBlank());
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
