package drover.system.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.coordinator.RolloutCoordinatorMain;
import drover.evaluator.HealthEvaluatorMain;
import drover.gateway.Faults;
import drover.gateway.NodeGatewayMain;
import drover.kit.database.ConnectionPool;
import drover.localenv.DataDirectory;
import drover.localenv.database.EmbeddedOrExternalDatabase;
import drover.manifest.ManifestServiceMain;
import drover.system.fixture.DroverProcess;
import drover.system.fixture.LaunchedServices;
import drover.system.fixture.RestartablePostgres;
import drover.system.fixture.Waits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each service is a program: it says what it was told, when it is ready, and ends when asked. */
class ServiceLifecycleIT {
    private static final Duration SOON = Waits.LIMIT; // 15 s of silence, and pools
    private static final String PRINT = "--print-config";
    private static final String GATEWAY =
            "id: gateway-1\nagent-listen: 127.0.0.1:0\ninternal-listen: 127.0.0.1:0\n";
    private static final String COORDINATOR =
            """
            id: coordinator-1
            listen: 127.0.0.1:0
            http: 127.0.0.1:%d
            manifest: 127.0.0.1:%d
            health: 127.0.0.1:%d
            insecure: true
            """;
    private static final int TERMINATED = 143; // what a shell says of a JVM that SIGTERM ended

    @TempDir Path directory;
    @AutoClose private LaunchedServices services;

    @BeforeEach
    void open() {
        services = new LaunchedServices(directory);
    }

    @Test
    void everyServiceRunsFromItsFileAndStopsOnSigterm() throws Exception {
        ConnectionPool database = database();
        int manifests = services.port();
        int health = services.port();
        int http = services.port();
        Map<String, String> gatewaysSecret = Map.of("DROVER_GATEWAY_POSTGRES", database.url());
        Map<String, String> coordinatorsSecret =
                Map.of("DROVER_COORDINATOR_POSTGRES", database.url());
        Path configuration = Files.createDirectory(directory.resolve("configuration"));

        DroverProcess manifest =
                services.ready(
                        ManifestServiceMain.class,
                        Map.of(),
                        "config: " + configuration + "\nlisten: 127.0.0.1:" + manifests + "\n");
        DroverProcess evaluator =
                services.ready(
                        HealthEvaluatorMain.class, Map.of(), "listen: 127.0.0.1:" + health + "\n");
        DroverProcess gateway = services.ready(NodeGatewayMain.class, gatewaysSecret, GATEWAY);
        DroverProcess coordinator =
                services.ready(
                        RolloutCoordinatorMain.class,
                        coordinatorsSecret,
                        COORDINATOR.formatted(http, manifests, health));

        assertThat(LaunchedServices.status(http, "/readyz")).isEqualTo(200);
        assertThat(LaunchedServices.status(http, "/api/v1/rollouts")).isEqualTo(200);
        assertThat(gateways(database)).isEqualTo(1);
        for (DroverProcess service : new DroverProcess[] {coordinator, gateway}) {
            assertThat(service.terminated().exitCode()).isEqualTo(TERMINATED);
        }
        assertThat(gateways(database)).as("a gateway that ends takes its address back").isZero();
        assertThat(evaluator.terminated().exitCode()).isEqualTo(TERMINATED);
        assertThat(manifest.terminated().output()).doesNotContain("ERROR", "Exception");
    }

    @Test
    void printsItsSettingsWithoutStarting() throws Exception {
        DroverProcess.Ended shown =
                run(
                        Map.of("DROVER_GATEWAY_POSTGRES", "jdbc:postgresql://canary"),
                        "--id",
                        "gateway-1",
                        "--print-config");
        assertThat(shown.exitCode()).as(shown.output()).isZero();
        assertThat(shown.output().lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "id gateway-1 --id",
                        "postgres (hidden) DROVER_GATEWAY_POSTGRES",
                        "agent-listen 127.0.0.1:7443 default");
        assertThat(shown.output()).doesNotContain("canary");

        DroverProcess.Ended lacking = run(Map.of(), "--print-config");
        assertThat(lacking.exitCode()).isEqualTo(2);
        assertThat(lacking.output())
                .endsWith("gateway: It cannot start without --postgres, --id.\n");

        DroverProcess.Ended wrong = run(Map.of("DROVER_GATEWAY_IDD", "x"));
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.output())
                .isEqualTo(
                        "gateway: The variable DROVER_GATEWAY_IDD is no setting of the gateway. Is"
                                + " DROVER_GATEWAY_ID meant?\n");
        assertThat(run(Map.of(), "--help").output()).contains("--agent-listen HOST:PORT");
    }

    /** The four services, and a setting of each that is misspelt. */
    enum Launcher {
        COORDINATOR(RolloutCoordinatorMain.class, "coordinator", "listen", "127.0.0.1:9090"),
        GATEWAY(NodeGatewayMain.class, "gateway", "agent-listen", "127.0.0.1:7443"),
        HEALTH(HealthEvaluatorMain.class, "health", "listen", "127.0.0.1:7445"),
        MANIFEST(ManifestServiceMain.class, "manifest", "metrics", "127.0.0.1:9467");

        private final Class<?> main;
        private final String service;
        private final String setting;
        private final String otherwise;

        Launcher(Class<?> main, String service, String setting, String otherwise) {
            this.main = main;
            this.service = service;
            this.setting = setting;
            this.otherwise = otherwise;
        }

        private String variable() {
            return "DROVER_" + name() + "_" + setting.toUpperCase(Locale.ROOT).replace('-', '_');
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "D-128: every service says what it was told, and takes nothing that it does not know")
    void everyServicePrintsItsSettingsAndRefusesUnknownOnes(Launcher launcher) throws Exception {
        DroverProcess.Ended shown =
                run(launcher, Map.of(launcher.variable(), "127.0.0.1:1"), PRINT);
        assertThat(logLines(shown))
                .contains(launcher.setting + " 127.0.0.1:1 " + launcher.variable());
        assertThat(logLines(run(launcher, Map.of(), PRINT)))
                .contains(launcher.setting + " " + launcher.otherwise + " default");

        DroverProcess.Ended variable = run(launcher, Map.of(launcher.variable() + "X", "x"));
        assertThat(variable.exitCode()).isEqualTo(2);
        assertThat(variable.output())
                .isEqualTo(
                        "%s: The variable %sX is no setting of the %s. Is %s meant?%n",
                        launcher.service,
                        launcher.variable(),
                        launcher.service,
                        launcher.variable());

        Path file = directory.resolve(launcher.service + ".yaml");
        Files.writeString(file, launcher.setting + "x: 127.0.0.1:1\n");
        DroverProcess.Ended key = run(launcher, Map.of(), "--config-file", file.toString());
        assertThat(key.exitCode()).isEqualTo(2);
        assertThat(key.output())
                .isEqualTo(
                        "%s: '%sx' in %s is no setting. Is %s meant?%n",
                        launcher.service, launcher.setting, file, launcher.setting);
    }

    private static List<String> logLines(DroverProcess.Ended shown) {
        return shown.output().lines().map(line -> line.replaceAll(" +", " ").strip()).toList();
    }

    @Test
    @DisplayName("D-128: without their database coordinator and gateway are not ready, and live on")
    @Faults(
            rule = "D-128 (a service is not ready while its database is unavailable)",
            sample = "HttpServerTest.isReadyOnlyWhileNothingKeepsItFromWorking")
    void serviceWithoutItsDatabaseIsNotReady() throws Exception {
        RestartablePostgres postgres =
                RestartablePostgres.start(directory.resolve("data"), services.port(), Map.of());
        services.closeLast(postgres::close);
        LaunchedServices.Service gateway =
                services.started(
                        NodeGatewayMain.class,
                        Map.of("DROVER_GATEWAY_POSTGRES", postgres.url()),
                        GATEWAY);
        LaunchedServices.Service coordinator =
                services.started(
                        RolloutCoordinatorMain.class,
                        Map.of("DROVER_COORDINATOR_POSTGRES", postgres.url()),
                        COORDINATOR.formatted(services.port(), services.port(), services.port()));

        postgres.stop();
        for (LaunchedServices.Service service : List.of(gateway, coordinator)) {
            await().atMost(SOON).until(() -> service.readiness() == 503);
            assertThat(LaunchedServices.status(service.metrics(), "/livez"))
                    .as("no reason to be started anew")
                    .isEqualTo(200);
        }
        postgres.comeBack();

        for (LaunchedServices.Service service : List.of(gateway, coordinator)) {
            await().atMost(SOON)
                    .failFast("It has ended.", () -> !service.process().isAlive())
                    .until(() -> service.readiness() == 200);
        }
    }

    private DroverProcess.Ended run(Map<String, String> environment, String... arguments)
            throws Exception {
        return run(Launcher.GATEWAY, environment, arguments);
    }

    private DroverProcess.Ended run(
            Launcher launcher, Map<String, String> environment, String... arguments)
            throws Exception {
        try (DroverProcess process =
                DroverProcess.start(directory, launcher.main, environment, arguments)) {
            return process.ended();
        }
    }

    private ConnectionPool database() {
        EmbeddedOrExternalDatabase database =
                EmbeddedOrExternalDatabase.open(
                        new DataDirectory(directory.resolve("data")), Optional.empty());
        services.closeLast(database::close);
        ConnectionPool pool = database.openPool("test", 2);
        services.closeLast(pool::close);
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
}
