package drover.system.telemetry;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import drover.localenv.Ports;
import drover.system.fixture.Waits;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A real Prometheus that scrapes one door every second. */
final class PrometheusServer implements AutoCloseable {
    private static final String MISSING =
            "prometheus is not on the path, so the dashboard's queries are not run here;"
                    + " .ci/run brings it";
    private static final Duration START = Waits.LIMIT; // measured 1 s
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Process process;
    private final int port;
    private final HttpClient client = HttpClient.newHttpClient();

    private PrometheusServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** The program; skips the test, saying so, where it is not on the path. */
    static Path require() {
        Optional<Path> found = find("prometheus");
        if (found.isEmpty()) {
            System.err.println(MISSING); // the report alone would not be aloud
        }
        assumeTrue(found.isPresent(), MISSING);
        return found.orElseThrow();
    }

    /** A program on the path. */
    static Optional<Path> find(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(directory -> Path.of(directory, program))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static PrometheusServer scraping(int metricsPort, Path folder) throws IOException {
        Path program = require();
        Files.createDirectories(folder);
        Path config = folder.resolve("prometheus.yml");
        Files.writeString(
                config,
                """
                global: { scrape_interval: 1s, scrape_timeout: 1s }
                scrape_configs:
                  - job_name: drover
                    static_configs: [ { targets: [ "127.0.0.1:%d" ] } ]
                """
                        .formatted(metricsPort));
        int port = Ports.findFree(Set.of(metricsPort));
        Process process =
                new ProcessBuilder(
                                program.toString(),
                                "--config.file=" + config,
                                "--storage.tsdb.path=" + folder.resolve("data"),
                                "--web.listen-address=127.0.0.1:" + port)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve("prometheus.log").toFile())
                        .start();
        PrometheusServer server = new PrometheusServer(process, port);
        await().atMost(START).until(() -> server.get("/-/ready").isPresent());
        return server;
    }

    /** The values that a query gives now, NaN left out; none when there is no data. */
    List<Double> values(String query) {
        JsonNode answer =
                get("/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8))
                        .orElseThrow(
                                () -> new AssertionError("Prometheus does not take: " + query));
        List<Double> values = new ArrayList<>();
        for (JsonNode series : answer.at("/data/result")) {
            double value = Double.parseDouble(series.at("/value/1").asString());
            if (!Double.isNaN(value)) {
                values.add(value);
            }
        }
        return values;
    }

    private Optional<JsonNode> get(String path) {
        try {
            var answer =
                    client.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                    .build(),
                            BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                return Optional.empty();
            }
            String body = answer.body();
            return Optional.of(body.startsWith("{") ? JSON.readTree(body) : JSON.readTree("{}"));
        } catch (IOException e) {
            return Optional.empty(); // it is not up yet
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        client.close();
        process.destroy();
        try {
            if (!process.waitFor(Waits.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
