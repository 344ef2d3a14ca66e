package drover.system.failover;

import static org.awaitility.Awaitility.await;

import drover.bench.deployment.DatabaseStats;
import drover.bench.deployment.DroverBuild;
import drover.bench.deployment.OperatorClient;
import drover.bench.deployment.StartedResources;
import drover.bench.fleet.AgentsMain;
import drover.bench.fleet.BenchNode;
import drover.coordinator.RolloutCoordinatorMain;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.evaluator.HealthEvaluatorMain;
import drover.gateway.NodeGatewayMain;
import drover.kit.database.ConnectionPool;
import drover.kit.grpc.Address;
import drover.localenv.DataDirectory;
import drover.localenv.database.EmbeddedOrExternalDatabase;
import drover.manifest.ManifestServiceMain;
import drover.trust.identity.ServiceName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Two of each service as real processes over one PostgreSQL, and agents in a process of their own
 * that know both gateways. Each can be killed, frozen and started again by its name.
 */
public final class ReplicatedDeployment implements ConsistencyCheck.Observed, AutoCloseable {
    static final int TTL_SECONDS = 6; // a third of it without an answer
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(5); // the error of a time

    private final Path directory;
    private final DeploymentSecurity security;
    private final StartedResources running = new StartedResources();
    private final ConnectionPool pool;
    private final DatabaseStats ledger;
    private final DatabaseReader record;
    private final ServiceProcesses programs;
    private final Map<String, OperatorClient> operators = new TreeMap<>();

    /** With agents that are simulated nodes'. */
    ReplicatedDeployment(Path directory, int nodes, DeploymentSecurity security)
            throws IOException {
        this(
                directory,
                ServiceProcesses.SHORT_LIVED,
                BenchNode.PROFILE,
                NodeGatewayMain.class,
                security);
        startAgents(nodes);
    }

    /** No node is known and no agent runs, until {@link #startAgents}. */
    static ReplicatedDeployment withoutAgents(Path directory, DeploymentSecurity security)
            throws IOException {
        return new ReplicatedDeployment(
                directory,
                ServiceProcesses.SHORT_LIVED,
                BenchNode.PROFILE,
                NodeGatewayMain.class,
                security);
    }

    /**
     * The same, with nothing proven.
     *
     * @param gateway main class of its gateways
     */
    ReplicatedDeployment(Path directory, int nodes, Class<?> gateway) throws IOException {
        this(
                directory,
                ServiceProcesses.SHORT_LIVED,
                BenchNode.PROFILE,
                gateway,
                DeploymentSecurity.plaintext());
        startAgents(nodes);
    }

    /**
     * Nodes are known, and no agent runs yet; nothing is proven.
     *
     * @param build of all services, until they are replaced
     * @param profile of the nodes' chain
     */
    public ReplicatedDeployment(Path directory, int nodes, DroverBuild build, String profile)
            throws IOException {
        this(directory, build, profile, NodeGatewayMain.class, DeploymentSecurity.plaintext());
        var _ = admitted(nodes);
    }

    private ReplicatedDeployment(
            Path directory,
            DroverBuild build,
            String profile,
            Class<?> gateway,
            DeploymentSecurity security)
            throws IOException {
        this.directory = directory;
        this.security = security;
        EmbeddedOrExternalDatabase database =
                running.start(
                        () ->
                                EmbeddedOrExternalDatabase.open(
                                        new DataDirectory(directory), Optional.empty()));
        this.pool = database.openPool("drover-failover", 4);
        this.ledger = new DatabaseStats(pool);
        this.record = new DatabaseReader(pool);
        this.programs = new ServiceProcesses(directory, running, build);
        Path config = directory.resolve("config");
        Files.createDirectories(config.resolve("chains"));
        Files.writeString(config.resolve("chains").resolve(BenchNode.CHAIN + ".yaml"), profile);
        security.publish(config);
        plan(config, gateway);
        programs.startAll();
        Arrays.asList("coordinator-1", "coordinator-2").forEach(this::operate);
    }

    /** Makes nodes known, and says what their agents are told. */
    private List<String> admitted(int nodes) {
        return security.registerNodesAndGetAgentArguments(
                operator("coordinator-1"), pool, 0, nodes);
    }

    private void plan(Path config, Class<?> gateway) {
        String manifests = "";
        String evaluators = "";
        for (int number = 1; number <= 2; number++) {
            String manifest = programs.endpoint("manifest-" + number);
            manifests += (number == 1 ? "" : ",") + manifest;
            service(
                    ServiceName.MANIFEST,
                    "manifest-" + number,
                    ManifestServiceMain.class,
                    List.of("--config", config.toString(), "--listen", manifest));
            String evaluator = programs.endpoint("health-" + number);
            evaluators += (number == 1 ? "" : ",") + evaluator;
            service(
                    ServiceName.HEALTH,
                    "health-" + number,
                    HealthEvaluatorMain.class,
                    List.of("--listen", evaluator),
                    programs.endpoint(metrics("health-" + number)));
            service(
                    ServiceName.GATEWAY,
                    "gateway-" + number,
                    gateway,
                    List.of(
                            "--id",
                            "gateway-" + number,
                            "--agent-listen",
                            programs.endpoint("gateway-" + number),
                            "--internal-listen",
                            programs.endpoint("internal-" + number)));
        }
        for (int number = 1; number <= 2; number++) {
            service(
                    ServiceName.COORDINATOR,
                    "coordinator-" + number,
                    RolloutCoordinatorMain.class,
                    List.of(
                            "--id",
                            "coordinator-" + number,
                            "--listen",
                            programs.endpoint("coordinator-" + number),
                            "--http",
                            programs.endpoint("http-" + number),
                            "--manifest",
                            manifests,
                            "--health",
                            evaluators,
                            "--elector",
                            "lease-table",
                            "--lease-ttl",
                            Integer.toString(TTL_SECONDS),
                            "--insecure", // doors are local, and nobody is two people here
                            "true"));
        }
    }

    private static String metrics(String name) {
        return "metrics of " + name;
    }

    /** Where a health-evaluator shows its metrics. */
    String metricsOf(String evaluator) {
        return programs.endpoint(metrics(evaluator));
    }

    private void service(ServiceName service, String name, Class<?> main, List<String> arguments) {
        service(service, name, main, arguments, "off");
    }

    private void service(
            ServiceName service,
            String name,
            Class<?> main,
            List<String> arguments,
            String metrics) {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(security.serviceArguments(service));
        all.addAll(List.of("--metrics", metrics));
        Map<String, String> secrets =
                Map.of(
                        "DROVER_GATEWAY_POSTGRES", pool.url(),
                        "DROVER_COORDINATOR_POSTGRES", pool.url());
        programs.know(name, main, secrets, all);
    }

    /**
     * Makes nodes known and starts all agents, simulated nodes', in one process: right after each
     * other, since what they are enrolled with may be short-lived. Comes back when they are
     * connected.
     */
    void startAgents(int nodes) {
        List<String> all = new ArrayList<>(admitted(nodes));
        all.addAll(List.of("--gateway", gateways()));
        all.addAll(List.of("--first", "0", "--count", Integer.toString(nodes)));
        all.addAll(List.of("--effects", effects().toString()));
        all.addAll(List.of("--acknowledged", acknowledged().toString()));
        programs.know("agents", AgentsMain.class, Map.of(), all);
        programs.start("agents");
        awaitConnected(nodes);
    }

    /** Where agents dial. */
    public String gateways() {
        return programs.endpoint("gateway-1") + "," + programs.endpoint("gateway-2");
    }

    /** The port of a door. */
    int port(String name) {
        return programs.port(name);
    }

    public void awaitConnected(int agents) {
        await().atMost(SOON).until(() -> connected("gateway-1") + connected("gateway-2") == agents);
    }

    @Override
    public Path effects() {
        return directory.resolve("effects.log");
    }

    @Override
    public Path acknowledged() {
        return directory.resolve("acknowledged.log");
    }

    @Override
    public DatabaseReader record() {
        return record;
    }

    /** Starts it, or starts it again; its door opens a moment later. */
    void start(String name) {
        programs.start(name);
    }

    /** Ends it politely and starts it anew from this build; comes back when its door is open. */
    public void replace(String name, DroverBuild build) {
        end(name);
        programs.of(name, build);
        start(name);
        awaitEndpoint(name);
    }

    /** What a program has said since it was started. */
    List<String> log(String name) {
        return programs.log(name);
    }

    void awaitEndpoint(String name) {
        programs.awaitEndpoint(name);
    }

    /** Its doors take connections before whatever else it opens is open. */
    void awaitStarted(String name) {
        await().atMost(SOON)
                .until(() -> log(name).stream().anyMatch(line -> line.contains("has started")));
    }

    /** SIGKILL. */
    void kill(String name) {
        programs.kill(name);
    }

    /** SIGTERM; comes back when it has ended. */
    void end(String name) {
        programs.end(name);
    }

    /** SIGTERM; comes back at once. */
    void terminate(String name) {
        programs.terminate(name);
    }

    /** {@code STOP} or {@code CONT}. */
    void signal(String name, String signal) {
        programs.signal(name, signal);
    }

    boolean isAlive(String name) {
        return programs.isAlive(name);
    }

    private void operate(String coordinator) {
        operators.put(
                coordinator,
                new OperatorClient(
                        security.connectToCoordinator(
                                Address.parse(programs.endpoint(coordinator))),
                        security.connectToGateway(Address.parse(programs.endpoint("internal-1"))),
                        ledger));
    }

    OperatorClient operator(String coordinator) {
        return Objects.requireNonNull(operators.get(coordinator));
    }

    /** One whose coordinator is there. */
    public OperatorClient operator() {
        return operator(isAlive("coordinator-1") ? "coordinator-1" : "coordinator-2");
    }

    /** Where operators reach the coordinators. */
    List<String> coordinators() {
        return List.of(programs.endpoint("coordinator-1"), programs.endpoint("coordinator-2"));
    }

    /** All doors of services, those of operators and of agents included. */
    List<String> endpoints() {
        return Stream.of("manifest", "health", "gateway", "internal", "coordinator", "http")
                .flatMap(kind -> Stream.of(kind + "-1", kind + "-2"))
                .map(programs::endpoint)
                .toList();
    }

    public DatabaseStats ledger() {
        return ledger;
    }

    /** Which coordinator leads, as the fence says. */
    public String leader() {
        return record.leader();
    }

    public String other(String name) {
        return name.endsWith("1") ? name.replace('1', '2') : name.replace('2', '1');
    }

    /** How long after this another leader's first decision was written. */
    Duration untilNextDecision(Runnable what) {
        long before = record.epoch();
        long started = System.nanoTime();
        what.run();
        await().atMost(SOON)
                .pollInterval(POLL_INTERVAL)
                .until(() -> record.decisionsAfter(before) > 0);
        return Duration.ofNanos(System.nanoTime() - started);
    }

    /** How long after this so many agents are connected to a gateway. */
    Duration untilConnected(String gateway, int agents, Runnable what) {
        long started = System.nanoTime();
        what.run();
        await().atMost(SOON).pollInterval(POLL_INTERVAL).until(() -> connected(gateway) == agents);
        return Duration.ofNanos(System.nanoTime() - started);
    }

    long connected(String gateway) {
        return record.connected(gateway);
    }

    /** What is written of a rollout, oldest first. */
    public List<HistoryEntry> history(String rollout) {
        return record.history(rollout);
    }

    /** How far both schemas are: the highest step of each. */
    public List<String> schemas() {
        return record.schemas();
    }

    @Override
    public ConnectionPool pool() {
        return pool;
    }

    @Override
    public void close() {
        operators.values().forEach(OperatorClient::close);
        programs.killAll();
        running.close();
    }
}
