package drover.opsagent.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import drover.model.AttemptOutcome;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

final class AgentMetricsTest {
    private final AgentMetrics metrics = new AgentMetrics();

    @Test
    void sumsUpTheNodesOfTheProcess() {
        Runnable forget = metrics.registerPrograms(() -> new AgentMetrics.Programs(2, 1));
        metrics.registerPrograms(() -> new AgentMetrics.Programs(3, 0));
        metrics.connectionAttempted();
        metrics.connectionAttempted();
        metrics.connected();
        metrics.connected();
        metrics.disconnected();
        metrics.attemptEnded(AttemptOutcome.SUCCEEDED);
        assertThat(metrics.text().lines())
                .contains(
                        "# TYPE drover_agent_programs gauge",
                        "drover_agent_programs{state=\"up\"} 5",
                        "drover_agent_programs{state=\"down\"} 1",
                        "drover_agent_connected 1",
                        "drover_agent_dials_total 2",
                        "# TYPE drover_agent_attempts_total counter",
                        "drover_agent_attempts_total{outcome=\"succeeded\"} 1",
                        "drover_agent_attempts_total{outcome=\"failed_rollback\"} 0");
        forget.run();
        assertThat(metrics.text()).contains("drover_agent_programs{state=\"up\"} 3");
    }

    @Test
    void everyMetricIsShownWithItsKind() {
        assertThat(AgentMetrics.METRICS)
                .allSatisfy(
                        metric ->
                                assertThat(metrics.text())
                                        .contains("# TYPE " + metric.name() + " " + metric.kind())
                                        .contains("# HELP " + metric.name() + " " + metric.help()));
    }

    @Test
    void theEndpointShowsThemAndNothingElse() throws Exception {
        try (MetricsServer port = MetricsServer.open("127.0.0.1:0", metrics::text);
                HttpClient client = HttpClient.newHttpClient()) {
            assertThat(get(client, port, "/metrics")).startsWith("200 # HELP drover_agent_");
            assertThat(get(client, port, "/")).startsWith("404 ");
            String same = "127.0.0.1:" + port.port();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> MetricsServer.open(same, metrics::text))
                    .withMessageContaining("choose another port with --metrics");
        }
    }

    @Test
    void describesTheFormOfAnAddress() {
        for (String wrong : new String[] {"9468", "here:many", "127.0.0.1:99999"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> MetricsServer.open(wrong, metrics::text))
                    .withMessageContaining("host:port");
        }
    }

    private static String get(HttpClient client, MetricsServer port, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + port.port() + path);
        var answer = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }
}
