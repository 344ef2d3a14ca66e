package drover.coordinator;

import drover.coordinator.access.ConfiguredApiKeyGrant;
import drover.coordinator.election.ElectorConfig;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.sink.EventSink;
import drover.coordinator.sink.EventSinkFileLoader;
import drover.coordinator.token.TrustedTokenIssuer;
import drover.kit.config.ServiceLauncher;
import drover.kit.config.SettingDefinition;
import drover.kit.config.Settings;
import drover.kit.config.UntrimmedSecretFile;
import drover.kit.database.ConnectionPool;
import drover.kit.grpc.Address;
import drover.kit.grpc.ConnectionLimits;
import drover.kit.grpc.EndpointLimits;
import drover.kit.telemetry.ConnectionPoolMetrics;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsAndReadinessServer;
import drover.kit.telemetry.TraceExporters;
import drover.trust.release.SigningKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Runs one coordinator as a process of its own; others may stand by. */
public final class RolloutCoordinatorMain {
    private static final List<SettingDefinition> OWN =
            List.of(
                    SettingDefinition.required(
                                    "postgres", "URL", "The database, as jdbc:postgresql://…")
                            .asSecret(),
                    SettingDefinition.required("id", "NAME", "Its own name among coordinators."),
                    SettingDefinition.of(
                            "listen",
                            "HOST:PORT",
                            "Where operators' gRPC is served.",
                            "127.0.0.1:9090"),
                    SettingDefinition.of(
                            "http", "HOST:PORT", "Where REST is served.", "127.0.0.1:8080"),
                    SettingDefinition.required(
                            "manifest", "HOST:PORT,...", "Where the manifest-services are."),
                    SettingDefinition.required(
                            "health", "HOST:PORT,...", "Where the health-evaluators are."),
                    SettingDefinition.of("events", "FILE", "Who outside is told what happens.", ""),
                    SettingDefinition.of("keys", "DIR", "Where first keys are written.", ""),
                    SettingDefinition.of("grant", "LIST", "Keys to make at the first start.", ""),
                    SettingDefinition.of(
                            "insecure", "true|false", "Asks no caller for a key.", "false"),
                    SettingDefinition.of(
                            "jwt-issuer", "URL", "Whose tokens are taken as well.", ""),
                    SettingDefinition.of(
                            "jwt-audience", "NAME", "Whom tokens must be for.", "drover"),
                    SettingDefinition.of(
                            "jwt-keys", "URL", "Where the issuer publishes its keys.", ""),
                    SettingDefinition.of("command-key", "FILE", "Signs what is sent to nodes.", ""),
                    SettingDefinition.of(
                            "keep", "DAYS", "How long ended rollouts stay whole.", "400"),
                    SettingDefinition.of(
                            "elector",
                            "static|lease-table|etcd",
                            "Who says which coordinator leads.",
                            "static"),
                    SettingDefinition.of("etcd", "URL,...", "All members of etcd.", ""),
                    SettingDefinition.of(
                            "lease-ttl", "SECONDS", "How long a lease lasts, 3 to 300.", ""),
                    MetricsAndReadinessServer.addressSetting("127.0.0.1:9464"));
    static final List<SettingDefinition> SETTINGS =
            Stream.of(OWN, CoordinatorTls.SETTINGS, ConnectionLimits.OPERATOR_SETTINGS)
                    .flatMap(List::stream)
                    .toList();
    private static final int POOL = 16; // one loop per rollout, and operators' calls

    private RolloutCoordinatorMain() {}

    /** Starts and waits until the process is told to end. */
    public static void main(String[] arguments) throws InterruptedException {
        ServiceLauncher.run("coordinator", SETTINGS, arguments, RolloutCoordinatorMain::start);
    }

    private static AutoCloseable start(Settings settings) {
        RolloutCoordinatorConfig config = config(settings);
        CoordinatorTls tls = CoordinatorTls.fromSettings(settings);
        ElectorConfig elector = elector(settings, tls);
        ConnectionPool database =
                ConnectionPool.open(settings.get("postgres"), "drover-coordinator", POOL);
        Metrics metrics = Metrics.open();
        var _ = ConnectionPoolMetrics.register(metrics, "coordinator", database);
        RolloutCoordinator coordinator =
                RolloutCoordinator.start(
                        config,
                        new RolloutCoordinator.Dependencies(
                                database,
                                elector.createElector(database::openUnpooled),
                                TraceExporters.fromEnvironment(
                                        System.getenv(), RolloutCoordinator.SERVICE),
                                metrics,
                                readSinks(settings.get("events")),
                                tls));
        AutoCloseable endpoint =
                MetricsAndReadinessServer.open(
                        settings.get(MetricsAndReadinessServer.FLAG),
                        metrics::toPrometheusText,
                        coordinator::readinessProblems,
                        coordinator::certificateNotices);
        return () -> {
            coordinator.close(); // first of all: whoever follows waits until it has resigned
            endpoint.close();
            database.close();
            tls.close();
        };
    }

    static ElectorConfig elector(Settings settings, CoordinatorTls tls) {
        ElectorConfig choice =
                ElectorConfig.parse(
                        settings.get("elector"),
                        settings.get("etcd"),
                        settings.get("lease-ttl"),
                        tls.etcd().isPresent());
        return tls.etcd().map(choice::withIdentity).orElse(choice);
    }

    /** None when no file was named; a file that was named must be there. */
    private static List<EventSink> readSinks(String file) {
        if (!file.isEmpty() && !Files.exists(Path.of(file))) {
            throw new IllegalArgumentException("There is no file " + file + " for --events.");
        }
        return file.isEmpty() ? List.of() : EventSinkFileLoader.readIfExists(Path.of(file));
    }

    static RolloutCoordinatorConfig config(Settings settings) {
        if (!(Address.parse(settings.get("http")) instanceof Address.Tcp http)) {
            throw new IllegalArgumentException("--http needs a port: host:port.");
        }
        RolloutCoordinatorConfig config =
                new RolloutCoordinatorConfig(
                                settings.get("id"),
                                Address.parse(settings.get("listen")),
                                http,
                                Address.parseAll(settings.get("manifest")),
                                Address.parseAll(settings.get("health")),
                                RolloutTimeouts.STANDARD,
                                access(settings),
                                RolloutCoordinatorConfig.parseRetention(settings.get("keep")))
                        .with(EndpointLimits.ofOperators(settings));
        String key = settings.get("command-key");
        return key.isEmpty() ? config : config.withCommandKey(readCommandKey(Path.of(key)));
    }

    private static SigningKey readCommandKey(Path file) {
        String text = UntrimmedSecretFile.read(file);
        try {
            return SigningKey.fromPem(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    file
                            + " for --command-key holds no private Ed25519 key in PEM form: make"
                            + " one with drover trust key.",
                    e);
        }
    }

    /** Without a word about it, nobody gets in but by keys that were made before. */
    private static OperatorAccessConfig access(Settings settings) {
        if (settings.get("insecure").equals("true")) {
            return OperatorAccessConfig.withoutAuthentication();
        }
        OperatorAccessConfig keys = keyFileConfig(settings);
        String issuer = settings.get("jwt-issuer");
        String published = settings.get("jwt-keys");
        return issuer.isEmpty() && published.isEmpty()
                ? keys
                : keys.withTokenIssuer(
                        TrustedTokenIssuer.of(issuer, settings.get("jwt-audience"), published));
    }

    private static OperatorAccessConfig keyFileConfig(Settings settings) {
        String directory = settings.get("keys");
        if (directory.isEmpty()) {
            return new OperatorAccessConfig(false, Optional.empty(), List.of(), Optional.empty());
        }
        if (!Files.isDirectory(Path.of(directory))) {
            throw new IllegalArgumentException(
                    "There is no directory " + directory + " for --keys; make it first.");
        }
        return OperatorAccessConfig.withKeyFiles(
                Path.of(directory), ConfiguredApiKeyGrant.parseAll(settings.get("grant")));
    }
}
