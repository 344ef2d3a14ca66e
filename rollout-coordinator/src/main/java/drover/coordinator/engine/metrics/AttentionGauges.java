package drover.coordinator.engine.metrics;

import drover.coordinator.plan.incident.IncidentCategory;
import drover.coordinator.store.query.AttentionCountViews.AttentionCounts;
import drover.kit.telemetry.MetricDefinition;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.Metrics.GaugeRecorder;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** Metrics of what waits for operators. A replica that does not lead shows zeros. */
final class AttentionGauges {
    static final MetricDefinition INCIDENTS =
            MetricDefinition.gauge(
                    "drover_open_incidents", "Incidents that are not resolved.", "category");
    static final MetricDefinition APPROVALS =
            MetricDefinition.gauge(
                    "drover_pending_approvals", "Rollouts that wait for an approval.");
    static final MetricDefinition APPROVAL_AGE =
            MetricDefinition.gauge(
                    "drover_pending_approval_age_seconds",
                    "Age of the oldest pending approval; 0 without any.");
    static final MetricDefinition DEAD_LETTERS =
            MetricDefinition.gauge(
                    "drover_dead_letters",
                    "Events that a receiver rejected and that were not sent again with success.");

    private final LongSupplier nanos;
    private volatile AttentionSample counted;

    /** What was counted, and when. */
    private record AttentionSample(AttentionCounts attention, long atNanos) {}

    AttentionGauges(LongSupplier nanos) {
        this.nanos = nanos;
        this.counted = new AttentionSample(AttentionCounts.NONE, nanos.getAsLong());
    }

    /** Registers the gauges; returns what removes them. */
    List<Runnable> register(Metrics metrics) {
        return List.of(
                metrics.registerGauge(INCIDENTS, this::measureIncidents),
                metrics.registerGauge(
                        APPROVALS,
                        reading -> reading.record((double) counted.attention().approvals())),
                metrics.registerGauge(
                        APPROVAL_AGE, reading -> reading.record(approvalAgeSeconds())),
                metrics.registerGauge(
                        DEAD_LETTERS,
                        reading -> reading.record((double) counted.attention().deadLetters())));
    }

    void update(AttentionCounts attention) {
        counted = new AttentionSample(attention, nanos.getAsLong());
    }

    /** Every category that this version opens, so that a receiver sees the change from 0. */
    private void measureIncidents(GaugeRecorder reading) {
        Map<String, Long> all = new TreeMap<>(counted.attention().incidents());
        for (IncidentCategory category : IncidentCategory.values()) {
            if (category != IncidentCategory.UNKNOWN) {
                all.putIfAbsent(category.name().toLowerCase(Locale.ROOT), 0L);
            }
        }
        all.forEach((category, count) -> reading.record(count, category));
    }

    /** The age grows between two counts. */
    private double approvalAgeSeconds() {
        AttentionSample last = counted;
        if (last.attention().approvals() == 0) {
            return 0;
        }
        return last.attention().oldestApproval().toNanos() / 1e9
                + (nanos.getAsLong() - last.atNanos()) / 1e9;
    }
}
