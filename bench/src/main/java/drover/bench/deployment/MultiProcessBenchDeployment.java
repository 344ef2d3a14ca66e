package drover.bench.deployment;

import drover.bench.fleet.AgentsMain;
import drover.bench.fleet.BenchNode;
import drover.bench.fleet.BenchNode.BenchRelease;
import drover.bench.fleet.CommandReceiptFile;
import drover.bench.fleet.CommandReceiptFile.CommandId;
import drover.coordinator.RolloutCoordinatorMain;
import drover.evaluator.HealthEvaluatorMain;
import drover.gateway.NodeGatewayMain;
import drover.kit.database.ConnectionPool;
import drover.kit.grpc.Address;
import drover.localenv.Await;
import drover.localenv.DataDirectory;
import drover.localenv.Ports;
import drover.localenv.UserFacingError;
import drover.localenv.database.EmbeddedOrExternalDatabase;
import drover.manifest.ManifestServiceMain;
import drover.trust.identity.ServiceName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntSupplier;
import javax.sql.DataSource;
import org.slf4j.event.Level;

/**
 * A whole mesh of real processes on loopback: PostgreSQL, the four services with their usual
 * settings, and agents that dial the gateway with one connection each.
 */
public final class MultiProcessBenchDeployment implements AutoCloseable {
    private static final int SERVICE_HEAP = 1024; // MiB, as `./drover up`
    private static final int AGENTS_HEAP = 512; // and a quarter MiB for each agent
    private static final String RECEIPTS = "receipts";
    private static final Duration CONNECT = Duration.ofMinutes(5);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

    private final Path logs;
    private final StartedResources running;
    private final DeploymentConnections edges;
    private final List<String> noting; // what agents are told besides
    private final DataSource dataSource;
    private final DatabaseStats ledger;
    private final Set<Integer> ports = new HashSet<>();
    private final Map<ServiceProcess, Integer> services = new LinkedHashMap<>(); // with its door
    private final List<ServiceProcess> agents = new ArrayList<>();
    private final OperatorClient operator;
    private final ServiceProcess gateway;
    private final ServiceProcess coordinator;
    private final int agentPort;
    private int nodes;

    /**
     * Starts everything but agents below an empty directory.
     *
     * @param running ends all of it but the operator's connections
     */
    public static MultiProcessBenchDeployment start(
            Path directory, StartedResources running, DeploymentConnections edges) {
        EmbeddedOrExternalDatabase database =
                running.start(
                        () ->
                                EmbeddedOrExternalDatabase.open(
                                        new DataDirectory(directory), Optional.empty()));
        return new MultiProcessBenchDeployment(directory, running, edges, database, List.of());
    }

    /** The same, which also tells when what was committed, and when agents took it. */
    public static MultiProcessBenchDeployment startWithCommandTimes(
            Path directory, StartedResources running, DeploymentConnections edges) {
        EmbeddedOrExternalDatabase database =
                running.start(
                        () -> CommandCommitTimeReader.startDatabase(new DataDirectory(directory)));
        List<String> noting = List.of("--receipts", directory.resolve(RECEIPTS).toString());
        return new MultiProcessBenchDeployment(directory, running, edges, database, noting);
    }

    private MultiProcessBenchDeployment(
            Path directory,
            StartedResources running,
            DeploymentConnections edges,
            EmbeddedOrExternalDatabase database,
            List<String> noting) {
        this.logs = directory;
        this.running = running;
        this.edges = edges;
        this.noting = noting;
        ConnectionPool pool = database.openPool("drover-bench", 2);
        this.dataSource = pool;
        this.ledger = new DatabaseStats(pool);
        Map<String, String> secrets =
                Map.of(
                        "DROVER_GATEWAY_POSTGRES", pool.url(),
                        "DROVER_COORDINATOR_POSTGRES", pool.url());
        int manifests = reservePort();
        int health = reservePort();
        int internal = reservePort();
        int grpc = reservePort();
        this.agentPort = reservePort();
        startService(
                ServiceName.MANIFEST,
                ManifestServiceMain.class,
                manifests,
                Map.of(),
                List.of(
                        "--config",
                        writeProfile(directory).toString(),
                        "--listen",
                        localAddress(manifests)));
        startService(
                ServiceName.HEALTH,
                HealthEvaluatorMain.class,
                health,
                Map.of(),
                List.of("--listen", localAddress(health)));
        this.gateway =
                startService(
                        ServiceName.GATEWAY,
                        NodeGatewayMain.class,
                        agentPort,
                        secrets,
                        commandArguments(
                                "--id bench --agent-listen %s --internal-listen %s",
                                agentPort, internal));
        this.coordinator =
                startService(
                        ServiceName.COORDINATOR,
                        RolloutCoordinatorMain.class,
                        grpc,
                        secrets,
                        commandArguments( // insecure: nobody is two people here, and doors are
                                // local
                                "--id bench --insecure true --listen %s --http %s --manifest %s"
                                        + " --health %s",
                                grpc, reservePort(), manifests, health));
        services.forEach(
                (service, endpoint) -> service.awaitPort(endpoint)); // they start side by side
        this.operator =
                new OperatorClient(
                        edges.connectToCoordinator(Address.parse(localAddress(grpc))),
                        edges.connectToGateway(Address.parse(localAddress(internal))),
                        ledger);
    }

    /** A command line with the addresses of these ports in their places. */
    private static List<String> commandArguments(String line, Integer... ports) {
        Object[] addresses =
                Arrays.stream(ports).map(MultiProcessBenchDeployment::localAddress).toArray();
        return List.of(line.formatted(addresses).split(" ", -1));
    }

    private ServiceProcess startService(
            ServiceName service,
            Class<?> main,
            int port,
            Map<String, String> secrets,
            List<String> arguments) {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(edges.serviceArguments(service));
        all.addAll(List.of("--metrics", "off")); // its port is not ours to take
        ServiceProcess started =
                running.start(
                        () ->
                                ServiceProcess.start(
                                        logs, main, Level.INFO, SERVICE_HEAP, secrets, all));
        services.put(started, port);
        return started;
    }

    private int reservePort() {
        int free = Ports.findFree(ports);
        ports.add(free);
        return free;
    }

    private static String localAddress(int port) {
        return "127.0.0.1:" + port;
    }

    private static Path writeProfile(Path directory) {
        try {
            Path config = directory.resolve("bench-config");
            Files.createDirectories(config.resolve("chains"));
            Files.writeString(
                    config.resolve("chains").resolve(BenchNode.CHAIN + ".yaml"), BenchNode.PROFILE);
            return config;
        } catch (IOException e) {
            throw new UserFacingError("The directory " + directory + " cannot be written.", e);
        }
    }

    /** Lets the fleet grow to so many nodes; returns when all are connected and known. */
    public void growTo(int size) {
        int more = size - nodes;
        if (more <= 0) {
            return;
        }
        List<String> arguments =
                new ArrayList<>(
                        edges.registerNodesAndGetAgentArguments(operator, dataSource, nodes, more));
        arguments.addAll(List.of("--gateway", localAddress(agentPort)));
        arguments.addAll(List.of("--first", Integer.toString(nodes)));
        arguments.addAll(List.of("--count", Integer.toString(more)));
        arguments.addAll(noting);
        agents.add(
                running.start(
                        () ->
                                ServiceProcess.start(
                                        logs,
                                        AgentsMain.class,
                                        Level.WARN,
                                        AGENTS_HEAP + more / 4,
                                        Map.of(),
                                        arguments)));
        nodes = size;
        await("connected", size, ledger::nodesWithReportedPrograms);
    }

    /** When agents took which command, where the mesh is timed; nothing elsewhere. */
    public Map<CommandId, Instant> readReceipts() {
        return CommandReceiptFile.read(logs.resolve(RECEIPTS));
    }

    /** Waits until the directory knows so many nodes that run a release. */
    public void awaitRunning(BenchRelease release, int count) {
        await("run " + release.version(), count, () -> ledger.nodesRunning(release));
    }

    private void await(String what, int count, IntSupplier present) {
        boolean there =
                Await.until(
                        CONNECT,
                        POLL_INTERVAL,
                        () -> hasDeadProcess() || present.getAsInt() >= count);
        if (!there || hasDeadProcess()) {
            throw new UserFacingError(
                    "Only %d of %d nodes: %s; the logs are in %s."
                            .formatted(present.getAsInt(), count, what, logs));
        }
    }

    private boolean hasDeadProcess() {
        return !agents.stream().allMatch(ServiceProcess::isAlive)
                || !services.keySet().stream().allMatch(ServiceProcess::isAlive);
    }

    /** Who creates and starts rollouts. */
    public OperatorClient operator() {
        return operator;
    }

    /** What the database says of them. */
    public DatabaseStats stats() {
        return ledger;
    }

    /** Connections to the same PostgreSQL, for what is measured without the mesh. */
    public DataSource database() {
        return dataSource;
    }

    /** What has been used up to now. */
    public DeploymentCpuAndWriteUsage usage() {
        return new DeploymentCpuAndWriteUsage(
                Duration.ofNanos(System.nanoTime()),
                coordinator.cpu(),
                gateway.cpu(),
                CpuTime.ofProcessTree(ledger.postmasterPid()),
                agents.stream().map(ServiceProcess::cpu).reduce(Duration.ZERO, Duration::plus),
                ledger.writeTransactions(),
                ledger.walBytes());
    }

    /** Hangs up; what runs is ended by its {@link StartedResources}. */
    @Override
    public void close() {
        operator.close();
    }
}
