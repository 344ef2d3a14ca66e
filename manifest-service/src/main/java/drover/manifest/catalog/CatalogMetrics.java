package drover.manifest.catalog;

import drover.kit.telemetry.Metric;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.Metrics.Measurement;
import java.time.Duration;
import java.util.Collection;

/** The manifest-service's metrics: the files it knows, and how long it takes to look at them. */
public final class CatalogMetrics {
    static final Metric FILES =
            Metric.gauge(
                    "drover_manifest_files",
                    "Configuration files, by kind (manifest, profile) and state (good, broken).",
                    "kind",
                    "state");
    static final Metric SCAN =
            Metric.seconds(
                    "drover_manifest_scan_seconds",
                    "Time to look at the whole configuration directory.");

    private final Metrics metrics;
    private final Metrics.Timer scans;

    /** Offers them. */
    public CatalogMetrics(Metrics metrics) {
        this.metrics = metrics;
        scans = metrics.timer(SCAN);
    }

    /**
     * Shows the files of a catalogue.
     *
     * @return withdraws it
     */
    public Runnable register(Catalog catalogue) {
        return metrics.gauge(
                FILES,
                reading -> {
                    record(reading, "manifest", catalogue.manifests().values());
                    record(reading, "profile", catalogue.profiles().values());
                });
    }

    private static void record(
            Measurement reading, String kind, Collection<? extends FileState<?>> files) {
        int good = (int) files.stream().filter(file -> file.problems().isEmpty()).count();
        reading.record(good, kind, "good");
        reading.record(files.size() - good, kind, "broken");
    }

    /** The whole directory was looked at. */
    void scanCompleted(Duration took) {
        scans.record(took);
    }
}
