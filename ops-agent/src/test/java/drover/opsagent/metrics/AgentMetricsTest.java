package drover.opsagent.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import drover.model.AttemptOutcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AgentMetricsTest {
    private final AgentMetrics metrics = new AgentMetrics();

    @Test
    void sumsUpTheNodesOfTheProcess() {
        Runnable forget = metrics.registerPrograms(() -> new AgentMetrics.ProgramStateCounts(2, 1));
        metrics.registerPrograms(() -> new AgentMetrics.ProgramStateCounts(3, 0));
        metrics.recordConnectionAttempt();
        metrics.recordConnectionAttempt();
        metrics.recordConnected();
        metrics.recordConnected();
        metrics.recordDisconnected();
        metrics.recordAttemptEnd(AttemptOutcome.SUCCEEDED);
        assertThat(metrics.prometheusText().lines())
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
        assertThat(metrics.prometheusText()).contains("drover_agent_programs{state=\"up\"} 3");
    }

    @Test
    void everyMetricIsShownWithItsKind() {
        assertThat(AgentMetrics.METRICS)
                .allSatisfy(
                        metric ->
                                assertThat(metrics.prometheusText())
                                        .contains("# TYPE " + metric.name() + " " + metric.kind())
                                        .contains("# HELP " + metric.name() + " " + metric.help()));
    }

    @Test
    void theEndpointShowsThemAndNothingElse() throws Exception {
        try (MetricsServer port = MetricsServer.start("127.0.0.1:0", metrics::prometheusText);
                HttpClient client = HttpClient.newHttpClient()) {
            assertThat(get(client, port, "/metrics")).startsWith("200 # HELP drover_agent_");
            assertThat(get(client, port, "/")).startsWith("404 ");
            String same = "127.0.0.1:" + port.port();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> MetricsServer.start(same, metrics::prometheusText))
                    .withMessageContaining("choose another port with --metrics");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "GET /metrics HTTP/1.0, 200 OK, true",
        "HEAD /metrics HTTP/1.0, 200 OK, false",
        "GET /other HTTP/1.0, 404 Not Found, false",
        "POST /metrics HTTP/1.0, 405 Method Not Allowed, false"
    })
    void answersHttp10(String requestLine, String status, boolean text) throws IOException {
        try (MetricsServer port = MetricsServer.start("127.0.0.1:0", metrics::prometheusText);
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.port())) {
            socket.getOutputStream()
                    .write((requestLine + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            String response =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(response).startsWith("HTTP/1.1 " + status + "\r\n").contains("\r\n\r\n");
            assertThat(response.contains("# HELP drover_agent_")).isEqualTo(text);
        }
    }

    @Test
    void describesTheFormOfAnAddress() {
        for (String wrong : new String[] {"9468", "here:many", "127.0.0.1:99999"}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> MetricsServer.start(wrong, metrics::prometheusText))
                    .withMessageContaining("host:port");
        }
    }

    private static String get(HttpClient client, MetricsServer port, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + port.port() + path);
        var answer = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }
}
