package drover.kit.telemetry;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.exporter.prometheus.PrometheusMetricReader;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

/**
 * The metrics of one process. Parts of it bring their {@link MetricDefinition}s; whoever runs the
 * process shows {@link #toPrometheusText()} on a door. Nothing is sent anywhere, and nothing is
 * remembered by the receiver's clock: each process begins anew at nothing.
 */
public final class Metrics implements AutoCloseable {
    /** The media type of {@link #toPrometheusText()}. */
    public static final String CONTENT_TYPE = PrometheusTextFormatWriter.CONTENT_TYPE;

    private static final String COUNTED = "_total"; // the exporter puts it on again

    private final PrometheusMetricReader reader =
            PrometheusMetricReader.builder()
                    .setOtelScopeLabelsEnabled(false) // labels are those that Metric names
                    .setTargetInfoMetricEnabled(false)
                    .build();
    private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
    private final SdkMeterProvider provider =
            SdkMeterProvider.builder().registerMetricReader(reader).build();
    private final Meter meter = provider.get("drover");
    private final Map<String, MetricDefinition> registered = new ConcurrentSkipListMap<>();

    private Metrics() {}

    /** Metrics of a process that begins. */
    public static Metrics open() {
        return new Metrics();
    }

    /** Counts. */
    public interface Counter {
        /**
         * Shows these labels at 0 before anything is counted of them: the receiver sees no growth
         * in a series that begins with 1, and whoever waits for the first one would miss it.
         */
        void initialize(String... labels);

        /** Counts one more; a value for each label, in the metric's order. */
        void increment(String... labels);
    }

    /** Sorts durations by size. */
    public interface Timer {
        /** One more duration; a value for each label, in the metric's order. */
        void record(Duration duration, String... labels);
    }

    /** Takes what a gauge stands at. */
    public interface GaugeRecorder {
        /** A value, and a value for each label, in the metric's order. */
        void record(double value, String... labels);
    }

    /** Offers a counter. */
    public Counter registerCounter(MetricDefinition metric) {
        register(metric, MetricDefinition.Kind.COUNTER);
        String name = metric.name().substring(0, metric.name().length() - COUNTED.length());
        LongCounter counter = meter.counterBuilder(name).setDescription(metric.help()).build();
        return new Counter() {
            @Override
            public void initialize(String... labels) {
                counter.add(0, attributes(metric, labels));
            }

            @Override
            public void increment(String... labels) {
                counter.add(1, attributes(metric, labels));
            }
        };
    }

    /** Offers a histogram of durations. */
    public Timer registerTimer(MetricDefinition metric) {
        register(metric, MetricDefinition.Kind.HISTOGRAM);
        DoubleHistogram histogram =
                meter.histogramBuilder(metric.name())
                        .setDescription(metric.help())
                        .setExplicitBucketBoundariesAdvice(metric.buckets())
                        .build();
        return (duration, labels) ->
                histogram.record(seconds(duration), attributes(metric, labels));
    }

    private static double seconds(Duration duration) {
        return Math.max(0, duration.toNanos()) / 1e9;
    }

    /**
     * Offers a gauge. Asked at every scrape; a series that is not told any more is gone.
     *
     * @return withdraws it, so that what it looks at can be forgotten
     */
    public Runnable registerGauge(MetricDefinition metric, Consumer<GaugeRecorder> callback) {
        register(metric, MetricDefinition.Kind.GAUGE);
        return meter.gaugeBuilder(metric.name())
                        .setDescription(metric.help())
                        .buildWithCallback(
                                received ->
                                        callback.accept(
                                                (value, labels) ->
                                                        received.record(
                                                                value, attributes(metric, labels))))
                ::close;
    }

    private void register(MetricDefinition metric, MetricDefinition.Kind kind) {
        if (metric.kind() != kind) {
            throw new IllegalArgumentException(metric.name() + " is no " + kind);
        }
        MetricDefinition present = registered.putIfAbsent(metric.name(), metric);
        if (present != null && !present.equals(metric)) {
            throw new IllegalArgumentException(metric.name() + " is there as another metric");
        }
    }

    private static Attributes attributes(MetricDefinition metric, String... values) {
        List<String> names = metric.labels();
        if (values.length != names.size()) {
            throw new IllegalArgumentException(metric.name() + " has the labels " + names);
        }
        AttributesBuilder attributes = Attributes.builder();
        for (int i = 0; i < values.length; i++) {
            attributes.put(AttributeKey.stringKey(names.get(i)), values[i]);
        }
        return attributes.build();
    }

    /** Every metric that was brought, by name. */
    public Collection<MetricDefinition> registeredMetrics() {
        return List.copyOf(registered.values());
    }

    /** Everything as it is now, in Prometheus' text format. */
    public String toPrometheusText() {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try {
            writer.write(text, reader.collect(), EscapingScheme.UNDERSCORE_ESCAPING);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // memory does not fail
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        provider.close();
    }
}
