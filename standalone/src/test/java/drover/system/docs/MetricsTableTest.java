package drover.system.docs;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.engine.metrics.CoordinatorMetrics;
import drover.coordinator.store.query.HistoryForMetricsViews;
import drover.evaluator.engine.EvaluatorMetrics;
import drover.gateway.engine.GatewayMetrics;
import drover.gateway.engine.session.SessionTable;
import drover.kit.database.ConnectionPool;
import drover.kit.mtls.CertificateExpiryMonitor;
import drover.kit.telemetry.ConnectionPoolMetrics;
import drover.kit.telemetry.MetricDefinition;
import drover.kit.telemetry.Metrics;
import drover.manifest.catalog.CatalogFileCache;
import drover.manifest.catalog.CatalogMetrics;
import drover.manifest.source.ConfigDirectory;
import drover.opsagent.metrics.AgentMetrics;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keeps the table of metrics in operations.md equal to what the programs register. */
class MetricsTableTest {
    @TempDir Path folder;

    @Test
    void listsEveryMetricAsItIsRegisteredAndNoOther() throws IOException {
        assertThat(MetricsTable.documented()).containsExactlyInAnyOrderElementsOf(registered());
    }

    @Test
    void everyQueryOfTheDashboardNamesAMetricThatThereIs() throws IOException {
        List<String> names = registered().stream().map(MetricsTable.Row::name).toList();
        for (String query : Dashboard.queries()) {
            List<String> named =
                    java.util.regex.Pattern.compile("drover_[a-z_]+")
                            .matcher(query)
                            .results()
                            .map(it -> it.group().replaceFirst("_(bucket|sum|count)$", ""))
                            .toList();
            assertThat(named).as(query).isNotEmpty().isSubsetOf(names);
        }
    }

    /** A node is never a label: their number is what a receiver pays for. */
    @Test
    void noMetricHasALabelForANode() throws IOException {
        assertThat(registered()).noneMatch(row -> row.labels().toString().contains("node"));
    }

    private List<MetricsTable.Row> registered() {
        try (Metrics metrics = Metrics.open()) {
            CoordinatorMetrics rollouts =
                    new CoordinatorMetrics(metrics, HistoryForMetricsViews.NONE, () -> 0);
            rollouts.registerLeaderGauge(() -> true);
            new GatewayMetrics(metrics).registerStreamGauge(new SessionTable(() -> 0));
            new EvaluatorMetrics(metrics).registerWatchCount(() -> 0);
            new CatalogMetrics(metrics)
                    .register(
                            new CatalogFileCache(
                                    ConfigDirectory.open(folder), InstantSource.system()));
            new CertificateExpiryMonitor(InstantSource.system()).register(metrics);
            ConnectionPoolMetrics.register(
                    metrics, "pool", () -> new ConnectionPool.Usage(0, 0, 0));
            List<MetricsTable.Row> rows = new ArrayList<>();
            for (MetricDefinition metric : metrics.registeredMetrics()) {
                rows.add(
                        new MetricsTable.Row(
                                metric.name(),
                                metric.kind().name().toLowerCase(Locale.ROOT),
                                metric.labels(),
                                metric.help()));
            }
            AgentMetrics.METRICS.forEach(
                    it ->
                            rows.add(
                                    new MetricsTable.Row(
                                            it.name(), it.kind(), it.labels(), it.help())));
            return rows;
        }
    }
}
