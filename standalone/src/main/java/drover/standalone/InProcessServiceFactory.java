package drover.standalone;

import drover.coordinator.OperatorAccessConfig;
import drover.coordinator.RolloutCoordinator;
import drover.coordinator.RolloutCoordinatorConfig;
import drover.coordinator.access.ConfiguredApiKeyGrant;
import drover.coordinator.election.AlwaysElectedElector;
import drover.coordinator.plan.observed.RolloutTimeouts;
import drover.coordinator.sink.EventSink;
import drover.coordinator.sink.EventSinkFileLoader;
import drover.coordinator.token.TrustedTokenIssuer;
import drover.evaluator.HealthEvaluator;
import drover.evaluator.HealthEvaluatorListenConfig;
import drover.kit.grpc.Address;
import drover.kit.grpc.PortInUse;
import drover.kit.telemetry.ConnectionPoolMetrics;
import drover.kit.telemetry.Metrics;
import drover.kit.telemetry.MetricsAndReadinessServer;
import drover.kit.telemetry.TraceExporters;
import drover.localenv.DataDirectory;
import drover.localenv.NodeDirectory;
import drover.localenv.UserFacingError;
import drover.localenv.database.EmbeddedOrExternalDatabase;
import drover.manifest.ManifestService;
import drover.manifest.ManifestServiceConfig;
import drover.opsagent.adopt.InitialProgramInstallation;
import drover.opsagent.adopt.InitialProgramInstaller;
import drover.opsagent.adopt.StateDirectoryAndRoot;
import drover.opsagent.disk.LocalDisk;
import drover.opsagent.fetch.DownloadPolicy;
import drover.opsagent.main.OpsAgent;
import drover.opsagent.main.OpsAgentConfig;
import drover.opsagent.main.StartupErrorMessage;
import drover.opsagent.metrics.AgentMetrics;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.NodeLogContext;
import drover.opsagent.runtime.RuntimeRegistry;
import drover.standalone.fleet.NodeInstallation;
import drover.standalone.signing.KeyFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** The real programs of a mesh in one process: every outermost part is chosen in this one file. */
public final class InProcessServiceFactory implements ServiceFactory {
    private static final String LOCAL = "127.0.0.1";
    private static final String REPLICA_ID = "standalone";
    private static final Duration RECONNECT_CAP =
            Duration.ofSeconds(1); // one machine: nobody to spare

    private final Map<String, String> environment;
    private final Metrics metrics = Metrics.open(); // one process, one door, so one for all
    private final AgentMetrics agentMetrics = new AgentMetrics();

    /**
     * @param environment the variables that say whether and where traces are sent
     */
    public InProcessServiceFactory(Map<String, String> environment) {
        this.environment = Map.copyOf(environment);
    }

    @Override
    public DatabaseHandle openDatabase(StandaloneConfig config, Consumer<String> notices) {
        EmbeddedOrExternalDatabase database =
                config.postgres().isPresent()
                        ? EmbeddedOrExternalDatabase.open(config.data(), config.postgres())
                        : EmbeddedOrExternalDatabase.openSupervised(config.data(), notices);
        return new DatabaseHandle() {
            @Override
            public DataSource openPool(String name, int size) {
                DataSource pool = database.openPool(name, size);
                var _ =
                        ConnectionPoolMetrics.register(
                                metrics, name.replaceFirst("^drover-", ""), pool);
                return pool;
            }

            @Override
            public void close() {
                database.close();
            }
        };
    }

    @Override
    public MetricsEndpoint startMetrics(StandaloneConfig config) {
        MetricsAndReadinessServer server = openMetricsServer(config);
        return new MetricsEndpoint() {
            @Override
            public int port() {
                return server.port();
            }

            @Override
            public void close() {
                server.close();
                metrics.close();
            }
        };
    }

    /** Nobody asked for the usual port: that it is taken shall not keep a mesh from starting. */
    private MetricsAndReadinessServer openMetricsServer(StandaloneConfig config) {
        int port = config.metricsPort().orElse(StandaloneConfig.DEFAULT_METRICS_PORT);
        try {
            return MetricsAndReadinessServer.open(new Address.Tcp(LOCAL, port), this::metricsText);
        } catch (PortInUse e) {
            if (config.metricsPort().isPresent()) {
                throw e;
            }
            return MetricsAndReadinessServer.open(new Address.Tcp(LOCAL, 0), this::metricsText);
        }
    }

    private String metricsText() {
        return metrics.toPrometheusText() + agentMetrics.prometheusText();
    }

    @Override
    public RunningService startManifestService(Path config, Address address) {
        return ManifestService.start(
                        new ManifestServiceConfig(
                                config, address, ManifestServiceConfig.DEFAULT_RESCAN),
                        metrics)
                ::close;
    }

    @Override
    public RunningService startHealthEvaluator(Address address) {
        return HealthEvaluator.start(new HealthEvaluatorListenConfig(address), metrics)::close;
    }

    @Override
    public RunningGateway startGateway(
            GatewaySettings endpoints,
            DataSource database,
            drover.standalone.StandaloneConfig.AgentTimings pace) {
        return InProcessGateway.open(endpoints, database, metrics, pace);
    }

    @Override
    public RunningCoordinator startCoordinator(CoordinatorSettings endpoints, DataSource database) {
        RolloutCoordinator coordinator =
                RolloutCoordinator.start(
                        config(endpoints),
                        new RolloutCoordinator.Dependencies(
                                database,
                                new AlwaysElectedElector(),
                                TraceExporters.fromEnvironment(
                                        environment, RolloutCoordinator.SERVICE),
                                metrics,
                                readSinks(endpoints.events())));
        return new RunningCoordinator() {
            @Override
            public int grpcPort() {
                return coordinator.grpcPort();
            }

            @Override
            public int httpPort() {
                return coordinator.httpPort();
            }

            @Override
            public void close() {
                coordinator.close();
            }
        };
    }

    /** Its commands are signed with a key of its own: real nodes may ask for that. */
    private static RolloutCoordinatorConfig config(CoordinatorSettings endpoints) {
        return new RolloutCoordinatorConfig(
                        REPLICA_ID,
                        endpoints.operators(),
                        endpoints.http(),
                        List.of(endpoints.manifests()),
                        List.of(endpoints.health()),
                        RolloutTimeouts.STANDARD,
                        access(endpoints.access(), endpoints.keys()),
                        Duration.ofDays(endpoints.retentionDays()))
                .withCommandKey(
                        KeyFiles.loadOrCreate(new DataDirectory(endpoints.keys()).commandKey()));
    }

    /**
     * Refuses grants and an issuer that make no sense, in one sentence.
     *
     * @param keys the directory of granted keys
     */
    static OperatorAccessConfig access(
            StandaloneConfig.ApiAuthenticationSettings wanted, Path keys) {
        try {
            if (wanted.insecure()) {
                return OperatorAccessConfig.withoutAuthentication();
            }
            OperatorAccessConfig granted =
                    OperatorAccessConfig.withKeyFiles(
                            keys,
                            wanted.grants().stream().map(ConfiguredApiKeyGrant::parse).toList());
            return wanted.tokens()
                    .map(it -> TrustedTokenIssuer.of(it.issuer(), it.audience(), it.keys()))
                    .map(granted::withTokenIssuer)
                    .orElse(granted);
        } catch (IllegalArgumentException e) {
            throw new UserFacingError(String.valueOf(e.getMessage()));
        }
    }

    private static List<EventSink> readSinks(Path events) {
        try {
            return EventSinkFileLoader.readIfExists(events);
        } catch (IllegalArgumentException e) {
            throw new UserFacingError(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public Optional<Set<String>> findInstalledPrograms(NodeDirectory node) {
        if (!Files.exists(node.state().resolve("profile.json"))) {
            return Optional.empty();
        }
        try {
            return Optional.of(
                    InitialProgramInstaller.listInstalledPrograms(
                            new StateDirectoryAndRoot(node.state(), node.root())));
        } catch (RuntimeException e) { // an unreadable profile
            throw new UserFacingError(
                    "Node " + node.name() + " cannot be read: " + StartupErrorMessage.message(e),
                    e);
        }
    }

    @Override
    public void installInitialPrograms(NodeInstallation installation) {
        NodeDirectory node = installation.directory();
        try {
            InitialProgramInstaller.install(
                    new StateDirectoryAndRoot(node.state(), node.root()),
                    installation.programs().stream()
                            .map(InProcessServiceFactory::toProgramToInstall)
                            .toList());
        } catch (RuntimeException e) { // no artifact, a full disk, another node's directory
            throw new UserFacingError(
                    "Node "
                            + node.name()
                            + " cannot be installed: "
                            + StartupErrorMessage.message(e)
                            + " Its programs are declared in nodes.yaml, or in the standalone block of its chain profile.",
                    e);
        }
    }

    private static InitialProgramInstallation toProgramToInstall(NodeInstallation.Program program) {
        return new InitialProgramInstallation(
                program.spec(),
                program.initial().version().value(),
                program.initial().url(),
                program.initial().checksum(),
                program.files());
    }

    @Override
    public RunningService startAgent(
            NodeDirectory node,
            Address gateway,
            drover.standalone.StandaloneConfig.AgentTimings pace) {
        OpsAgentConfig config =
                new OpsAgentConfig(
                        node.state(),
                        node.root(),
                        List.of(new GatewayAddress(gateway.toString())),
                        node.readOrCreateToken(),
                        "process",
                        pace.startSettle(),
                        pace.idleHeartbeat(),
                        RECONNECT_CAP,
                        OpsAgentConfig.VERSION);
        OpsAgent.Dependencies parts =
                OpsAgent.Dependencies.local(
                        LocalDisk.withJail(config.root(), config.stateDirectory()),
                        DownloadPolicy.forLocalMachine(),
                        agentMetrics,
                        RuntimeRegistry.builtIn(Map.of()));
        try {
            return NodeLogContext.call(node.name(), () -> OpsAgent.start(config, parts))::close;
        } catch (RuntimeException e) { // damaged state, or a disk that cannot be read
            throw new UserFacingError(
                    "Its agent cannot start: " + StartupErrorMessage.message(e), e);
        }
    }
}
