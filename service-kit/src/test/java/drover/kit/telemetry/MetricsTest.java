package drover.kit.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import drover.kit.database.ConnectionPool;
import drover.kit.grpc.Address;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MetricsTest {
    private static final MetricDefinition ENDED =
            MetricDefinition.counter(
                    "drover_rollout_total", "Rollouts that ended.", "chain", "status");
    private static final MetricDefinition TOOK =
            MetricDefinition.longDurationHistogram(
                    "drover_rollout_duration_seconds", "How long.", "chain");
    private static final MetricDefinition ACTIVE =
            MetricDefinition.gauge("drover_rollout_active", "Rollouts under way.", "chain");

    @Test
    void showsExactlyTheNamesTypesAndLabelsThatWereGiven() {
        try (Metrics metrics = Metrics.open()) {
            Metrics.Counter ended = metrics.registerCounter(ENDED);
            ended.increment("harbour", "completed");
            ended.increment("harbour", "completed");
            metrics.registerTimer(TOOK).record(Duration.ofHours(3), "harbour");
            metrics.registerGauge(ACTIVE, reading -> reading.record(1, "harbour"));

            assertThat(metrics.toPrometheusText().lines())
                    .contains(
                            "# HELP drover_rollout_total Rollouts that ended.",
                            "# TYPE drover_rollout_total counter",
                            "drover_rollout_total{chain=\"harbour\",status=\"completed\"} 2.0",
                            "# HELP drover_rollout_duration_seconds How long.",
                            "# TYPE drover_rollout_duration_seconds histogram",
                            "drover_rollout_duration_seconds_bucket{chain=\"harbour\",le=\"7200.0\"} 0",
                            "drover_rollout_duration_seconds_bucket{chain=\"harbour\",le=\"14400.0\"} 1",
                            "drover_rollout_duration_seconds_bucket{chain=\"harbour\",le=\"604800.0\"} 1",
                            "drover_rollout_duration_seconds_sum{chain=\"harbour\"} 10800.0",
                            "drover_rollout_duration_seconds_count{chain=\"harbour\"} 1",
                            "# HELP drover_rollout_active Rollouts under way.",
                            "# TYPE drover_rollout_active gauge",
                            "drover_rollout_active{chain=\"harbour\"} 1.0")
                    .noneMatch(line -> line.contains("otel") || line.contains("target_info"));
        }
    }

    @Test
    void aCounterMayBeShownBeforeAnythingIsCounted() {
        try (Metrics metrics = Metrics.open()) {
            Metrics.Counter ended = metrics.registerCounter(ENDED);
            ended.initialize("harbour", "failed");
            assertThat(metrics.toPrometheusText())
                    .contains("drover_rollout_total{chain=\"harbour\",status=\"failed\"} 0.0");
            ended.increment("harbour", "failed");
            ended.initialize("harbour", "failed"); // begun again, it keeps what it counted
            assertThat(metrics.toPrometheusText())
                    .contains("drover_rollout_total{chain=\"harbour\",status=\"failed\"} 1.0");
        }
    }

    @Test
    void removesASeriesThatIsNoLongerReported() {
        try (Metrics metrics = Metrics.open()) {
            String[] chain = {"harbour"};
            Runnable withdraw =
                    metrics.registerGauge(ACTIVE, reading -> reading.record(1, chain[0]));
            assertThat(metrics.toPrometheusText()).contains("harbour");
            chain[0] = "coast";
            assertThat(metrics.toPrometheusText()).contains("coast").doesNotContain("harbour");
            withdraw.run();
            assertThat(metrics.toPrometheusText()).doesNotContain("coast");
        }
    }

    @Test
    void twoComponentsMayReportOneGauge() {
        try (Metrics metrics = Metrics.open()) {
            ConnectionPoolMetrics.register(
                    metrics, "gateway", () -> new ConnectionPool.Usage(1, 2, 0));
            Runnable second =
                    ConnectionPoolMetrics.register(
                            metrics, "coordinator", () -> new ConnectionPool.Usage(3, 4, 5));
            assertThat(metrics.toPrometheusText())
                    .contains("drover_database_connections{pool=\"gateway\",state=\"idle\"} 2.0")
                    .contains(
                            "drover_database_connections{pool=\"coordinator\",state=\"active\"} 3.0")
                    .contains("drover_database_waiting{pool=\"coordinator\"} 5.0");
            second.run();
            assertThat(metrics.toPrometheusText())
                    .contains("gateway")
                    .doesNotContain("coordinator");
        }
    }

    @Test
    void seriesOfOneMetricAreBounded() {
        try (Metrics metrics = Metrics.open()) {
            Metrics.Counter ended = metrics.registerCounter(ENDED);
            for (int i = 0; i < 5_000; i++) {
                ended.increment("chain-" + i, "completed");
            }
            assertThat(metrics.toPrometheusText().lines().filter(line -> !line.startsWith("#")))
                    .hasSizeLessThanOrEqualTo(2_000);
        }
    }

    @Test
    void refusesInvalidNamesAndLabels() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> MetricDefinition.counter("drover_rollouts", "Not a counter's name."));
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                MetricDefinition.gauge(
                                        "drover_rollouts_total", "Not a gauge's name."));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MetricDefinition.gauge("rollouts", "Nobody's name."));
        try (Metrics metrics = Metrics.open()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> metrics.registerCounter(ENDED).increment("harbour"))
                    .withMessageContaining("[chain, status]");
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () ->
                                    metrics.registerCounter(
                                            MetricDefinition.counter(
                                                    "drover_rollout_total", "Another.")));
        }
    }

    @Test
    void theEndpointShowsThemBesideItsLife() throws Exception {
        try (Metrics metrics = Metrics.open();
                MetricsAndReadinessServer server =
                        MetricsAndReadinessServer.open(
                                new Address.Tcp("127.0.0.1", 0), metrics::toPrometheusText)) {
            metrics.registerCounter(ENDED).increment("harbour", "completed");
            HttpResponse<String> page = get(server, "/metrics");
            assertThat(page.headers().firstValue("Content-Type"))
                    .hasValueSatisfying(
                            type -> assertThat(type).startsWith("text/plain; version=0.0.4"));
            assertThat(page.body()).contains("drover_rollout_total{");
            assertThat(get(server, "/livez").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void servesNextTo100IdleConnections() throws Exception {
        List<Socket> idle = new ArrayList<>();
        try (MetricsAndReadinessServer server =
                MetricsAndReadinessServer.open(new Address.Tcp("127.0.0.1", 0), () -> "up 1")) {
            for (int i = 0; i < 100; i++) {
                idle.add(new Socket(InetAddress.getLoopbackAddress(), server.port()));
            }
            assertThat(get(server, "/metrics").body()).isEqualTo("up 1");
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
    }

    @Test
    void endpointWithoutFilesStaysClosedAndReportsThem() throws Exception {
        MetricsAndReadinessServer.open("off", () -> "", List::of, List::of).close();
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                MetricsAndReadinessServer.open(
                                        "in-process:metrics", () -> "", List::of, List::of))
                .withMessage("--metrics needs a port, host:port, or off.");
    }

    private static HttpResponse<String> get(MetricsAndReadinessServer server, String path)
            throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                            .build(),
                    BodyHandlers.ofString());
        }
    }
}
