package drover.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.RolloutCoordinatorMain;
import drover.evaluator.HealthEvaluatorMain;
import drover.gateway.NodeGatewayMain;
import drover.kit.database.ConnectionPool;
import drover.manifest.ManifestServiceMain;
import drover.standalone.database.Database;
import drover.standalone.home.DataDirectory;
import drover.standalone.home.Ports;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each service is a program: it says what it was told, when it is ready, and ends when asked. */
class LauncherIT {
    private static final Duration START = Duration.ofSeconds(60); // measured 2–5 s
    private static final int TERMINATED = 143; // what a shell says of a JVM that SIGTERM ended

    @TempDir Path directory;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Set<Integer> ports = new HashSet<>();

    @AfterEach
    void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }

    @Test
    void everyServiceRunsFromItsFileAndEndsWhenAsked() throws Exception {
        ConnectionPool database = database();
        int manifests = port();
        int health = port();
        int http = port();
        Map<String, String> gatewaysSecret = Map.of("DROVER_GATEWAY_POSTGRES", database.url());
        Map<String, String> coordinatorsSecret =
                Map.of("DROVER_COORDINATOR_POSTGRES", database.url());
        Path configuration = Files.createDirectory(directory.resolve("configuration"));

        DroverProcess manifest =
                ready(
                        ManifestServiceMain.class,
                        Map.of(),
                        "config: " + configuration + "\nlisten: 127.0.0.1:" + manifests + "\n");
        DroverProcess evaluator =
                ready(HealthEvaluatorMain.class, Map.of(), "listen: 127.0.0.1:" + health + "\n");
        DroverProcess gateway =
                ready(
                        NodeGatewayMain.class,
                        gatewaysSecret,
                        "id: gateway-1\nagent-listen: 127.0.0.1:0\ninternal-listen: 127.0.0.1:0\n");
        DroverProcess coordinator =
                ready(
                        RolloutCoordinatorMain.class,
                        coordinatorsSecret,
                        """
                        id: coordinator-1
                        listen: 127.0.0.1:0
                        http: 127.0.0.1:%d
                        manifest: 127.0.0.1:%d
                        health: 127.0.0.1:%d
                        insecure: true
                        """
                                .formatted(http, manifests, health));

        assertThat(status(http, "/readyz")).isEqualTo(200);
        assertThat(status(http, "/api/v1/rollouts")).isEqualTo(200);
        assertThat(gateways(database)).isEqualTo(1);
        for (DroverProcess service : new DroverProcess[] {coordinator, gateway}) {
            assertThat(service.terminated().exitCode()).isEqualTo(TERMINATED);
        }
        assertThat(gateways(database)).as("a gateway that ends takes its address back").isZero();
        assertThat(evaluator.terminated().exitCode()).isEqualTo(TERMINATED);
        assertThat(manifest.terminated().said()).doesNotContain("ERROR", "Exception");
    }

    @Test
    void saysWhatItWasToldWithoutStarting() throws Exception {
        DroverProcess.Ended shown =
                run(
                        Map.of("DROVER_GATEWAY_POSTGRES", "jdbc:postgresql://canary"),
                        "--id",
                        "gateway-1",
                        "--print-config");
        assertThat(shown.exitCode()).as(shown.said()).isZero();
        assertThat(shown.said().lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "id gateway-1 --id",
                        "postgres (hidden) DROVER_GATEWAY_POSTGRES",
                        "agent-listen 127.0.0.1:7443 default");
        assertThat(shown.said()).doesNotContain("canary");

        DroverProcess.Ended lacking = run(Map.of(), "--print-config");
        assertThat(lacking.exitCode()).isEqualTo(2);
        assertThat(lacking.said()).endsWith("gateway: It cannot start without --postgres, --id.\n");

        DroverProcess.Ended wrong = run(Map.of("DROVER_GATEWAY_IDD", "x"));
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.said())
                .isEqualTo(
                        "gateway: The variable DROVER_GATEWAY_IDD is no setting of the gateway. Is"
                                + " DROVER_GATEWAY_ID meant?\n");
        assertThat(run(Map.of(), "--help").said()).contains("--agent-listen HOST:PORT");
    }

    private DroverProcess.Ended run(Map<String, String> environment, String... arguments)
            throws Exception {
        try (DroverProcess process =
                DroverProcess.start(directory, NodeGatewayMain.class, environment, arguments)) {
            return process.ended();
        }
    }

    private DroverProcess ready(Class<?> main, Map<String, String> environment, String settings)
            throws IOException {
        int metrics = port();
        Path file = directory.resolve(main.getSimpleName() + ".yaml");
        Files.writeString(file, settings + "metrics: 127.0.0.1:" + metrics + "\n");
        DroverProcess process =
                DroverProcess.start(directory, main, environment, "--config-file", file.toString());
        open.push(process);
        await().atMost(START)
                .failFast("It has ended.", () -> !process.isAlive())
                .until(() -> status(metrics, "/readyz") == 200);
        assertThat(status(metrics, "/livez")).isEqualTo(200);
        return process;
    }

    private ConnectionPool database() {
        Database database =
                Database.open(new DataDirectory(directory.resolve("data")), Optional.empty());
        open.push(database);
        ConnectionPool pool = database.pool("test", 2);
        open.push(pool);
        return pool;
    }

    private static int gateways(ConnectionPool database) throws Exception {
        try (Connection connection = database.getConnection();
                ResultSet rows =
                        connection
                                .createStatement()
                                .executeQuery("SELECT count(*) FROM gateway.gateway")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    private int port() {
        int free = Ports.free(ports);
        ports.add(free);
        return free;
    }

    /** Zero while nobody answers. */
    private static int status(int port, String path) {
        URI uri = URI.create("http://127.0.0.1:" + port + path);
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
