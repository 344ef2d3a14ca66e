package drover.manifest.catalog;

import drover.kit.telemetry.MetricDefinition;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.Metrics.GaugeRecorder;
import java.time.Duration;
import java.util.Collection;

/** The manifest-service's metrics: the files it knows, and how long it takes to look at them. */
public final class CatalogMetrics {
    static final MetricDefinition FILES =
            MetricDefinition.gauge(
                    "drover_manifest_files",
                    "Configuration files, by kind (manifest, profile) and state (good, broken).",
                    "kind",
                    "state");
    static final MetricDefinition SCAN =
            MetricDefinition.shortDurationHistogram(
                    "drover_manifest_scan_seconds",
                    "Time to look at the whole configuration directory.");

    private final Metrics metrics;
    private final Metrics.Timer scans;

    /** Offers them. */
    public CatalogMetrics(Metrics metrics) {
        this.metrics = metrics;
        scans = metrics.registerTimer(SCAN);
    }

    /**
     * Shows the files of a catalogue.
     *
     * @return withdraws it
     */
    public Runnable register(CatalogFileCache catalogue) {
        return metrics.registerGauge(
                FILES,
                reading -> {
                    recordFileCounts(reading, "manifest", catalogue.manifests().values());
                    recordFileCounts(reading, "profile", catalogue.profiles().values());
                });
    }

    private static void recordFileCounts(
            GaugeRecorder reading,
            String kind,
            Collection<? extends FileWithLastValidContent<?>> files) {
        int good = (int) files.stream().filter(file -> file.problems().isEmpty()).count();
        reading.record(good, kind, "good");
        reading.record(files.size() - good, kind, "broken");
    }

    /** The whole directory was looked at. */
    void recordScan(Duration took) {
        scans.record(took);
    }
}
