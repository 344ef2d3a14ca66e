package drover.system.failover;

import static org.awaitility.Awaitility.await;

import drover.bench.deployment.DatabaseStats;
import drover.bench.deployment.OperatorClient;
import drover.bench.deployment.StartedResources;
import drover.bench.fleet.AgentsMain;
import drover.bench.fleet.BenchNode;
import drover.coordinator.RolloutCoordinatorMain;
import drover.coordinator.election.EtcdServer;
import drover.evaluator.HealthEvaluatorMain;
import drover.gateway.NodeGatewayMain;
import drover.kit.database.ConnectionPool;
import drover.kit.grpc.Address;
import drover.manifest.ManifestServiceMain;
import drover.system.fault.FaultProxies;
import drover.system.fault.FaultProxy;
import drover.system.fault.NetworkPath;
import drover.trust.identity.ServiceName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * A mesh as it is run in earnest: PostgreSQL, three members of etcd, two of each service and
 * agents, all real processes. Whatever one says to another goes through a {@link FaultProxy}, so
 * that anything can be taken from anything.
 */
final class FaultInjectedDeployment implements ConsistencyCheck.Observed, AutoCloseable {
    /** Time to live of a lease, which a busy machine renews in time. */
    static final Duration TTL = Duration.ofSeconds(6);

    private static final Duration SOON = Duration.ofMinutes(3);
    private static final List<String> COORDINATORS = List.of("coordinator-1", "coordinator-2");
    private static final List<String> EVALUATORS = List.of("health-1", "health-2");
    private static final List<String> GATEWAYS = List.of("gateway-1", "gateway-2");
    private static final List<String> MANIFESTS = List.of("manifest-1", "manifest-2");

    private final Path directory;
    private final DeploymentSecurity security;
    private final StartedResources running = new StartedResources();
    private final List<EtcdServer> etcd;
    private final PostgresProcess postgres;
    private final FaultProxies links;
    private final ServiceProcesses programs;
    private final ConnectionPool pool;
    private final DatabaseReader record;
    private final DatabaseStats ledger;

    /** Who is told to lead. */
    enum Election {
        /** As it is run in earnest: by three members of etcd. */
        ETCD,
        /** Both coordinators, always: what no elector should do. */
        BOTH_ALWAYS
    }

    FaultInjectedDeployment(Path directory, int nodes, Election election) throws IOException {
        this(directory, nodes, election, DeploymentSecurity.plaintext());
    }

    /**
     * The same.
     *
     * @param security what its programs prove to each other; etcd and PostgreSQL are asked for
     *     nothing
     */
    FaultInjectedDeployment(
            Path directory, int nodes, Election election, DeploymentSecurity security)
            throws IOException {
        this.directory = directory;
        this.security = security;
        this.etcd = election == Election.ETCD ? EtcdServer.cluster(3) : List.of();
        etcd.forEach(member -> running.start(() -> member));
        this.postgres = running.start(() -> new PostgresProcess(directory));
        this.links = running.start(() -> new FaultProxies(directory));
        this.programs = new ServiceProcesses(directory, running, ServiceProcesses.SHORT_LIVED);
        this.pool = running.start(() -> ConnectionPool.open(url("onlooker"), "drover-faults", 4));
        this.record = new DatabaseReader(pool);
        this.ledger = new DatabaseStats(pool);
        manifests();
        evaluators();
        gateways();
        coordinators(election);
        programs.startAll();
        agents(nodes);
    }

    /** Where somebody dials to get to PostgreSQL. */
    private String url(String from) {
        return postgres.urlOver(links.toPostgres(from, postgres::port));
    }

    private void manifests() throws IOException {
        Path config = directory.resolve("config");
        Files.createDirectories(config.resolve("chains"));
        Files.writeString(
                config.resolve("chains").resolve(BenchNode.CHAIN + ".yaml"), BenchNode.PROFILE);
        security.publish(config);
        for (String manifest : MANIFESTS) {
            List<String> lines =
                    List.of("--config", config.toString(), "--listen", programs.endpoint(manifest));
            know(ServiceName.MANIFEST, manifest, ManifestServiceMain.class, Map.of(), lines);
        }
    }

    private void evaluators() {
        for (String evaluator : EVALUATORS) {
            GATEWAYS.forEach(gateway -> advertised(List.of(evaluator), gateway));
            know(
                    ServiceName.HEALTH,
                    evaluator,
                    HealthEvaluatorMain.class,
                    links.names(evaluator),
                    List.of("--listen", programs.endpoint(evaluator)));
        }
    }

    private String advertised(List<String> from, String gateway) {
        return links.named(from, gateway, () -> programs.port("internal-" + gateway));
    }

    private void gateways() {
        for (String gateway : GATEWAYS) {
            know(
                    ServiceName.GATEWAY,
                    gateway,
                    NodeGatewayMain.class,
                    Map.of("DROVER_GATEWAY_POSTGRES", url(gateway)),
                    List.of(
                            "--id",
                            gateway,
                            "--agent-listen",
                            programs.endpoint(gateway),
                            "--internal-listen",
                            programs.endpoint("internal-" + gateway),
                            "--advertise",
                            advertised(COORDINATORS, gateway)));
        }
    }

    private void coordinators(Election election) {
        for (String coordinator : COORDINATORS) {
            switch (election) {
                case ETCD -> coordinator(coordinator, overEtcd(coordinator));
                case BOTH_ALWAYS -> coordinator(coordinator, List.of("--elector", "static"));
            }
        }
    }

    private List<String> overEtcd(String coordinator) {
        List<String> members =
                IntStream.range(0, etcd.size())
                        .mapToObj(
                                number ->
                                        between(
                                                coordinator,
                                                "etcd-" + (number + 1),
                                                etcd.get(number).endpoint().getPort()))
                        .map(address -> "http://" + address)
                        .toList();
        return List.of(
                "--elector",
                "etcd",
                "--etcd",
                String.join(",", members),
                "--lease-ttl",
                Long.toString(TTL.toSeconds()));
    }

    private void coordinator(String coordinator, List<String> election) {
        Map<String, String> environment = new HashMap<>(links.names(coordinator));
        environment.put("DROVER_COORDINATOR_POSTGRES", url(coordinator));
        List<String> evaluators =
                EVALUATORS.stream()
                        .map(each -> between(coordinator, each, programs.port(each)))
                        .toList();
        List<String> lines =
                new ArrayList<>(
                        List.of(
                                "--id",
                                coordinator,
                                "--listen",
                                programs.endpoint(coordinator),
                                "--http",
                                programs.endpoint("http-" + coordinator),
                                "--manifest",
                                String.join(
                                        ",", MANIFESTS.stream().map(programs::endpoint).toList()),
                                "--health",
                                String.join(",", evaluators),
                                "--insecure", // doors are local, and nobody is two people here
                                "true"));
        lines.addAll(election);
        know(
                ServiceName.COORDINATOR,
                coordinator,
                RolloutCoordinatorMain.class,
                environment,
                lines);
    }

    /** The coordinator that is not this one. */
    static String other(String coordinator) {
        return COORDINATORS.get(1 - COORDINATORS.indexOf(coordinator));
    }

    private String between(String from, String to, int port) {
        return links.between(from, to, () -> port);
    }

    private void know(
            ServiceName service,
            String name,
            Class<?> main,
            Map<String, String> environment,
            List<String> lines) {
        List<String> all = new ArrayList<>(lines);
        all.addAll(security.serviceArguments(service));
        all.addAll(List.of("--metrics", "off"));
        programs.know(name, main, environment, all);
    }

    private void agents(int nodes) {
        List<String> all = new ArrayList<>(admitted(nodes));
        List<String> endpoints =
                GATEWAYS.stream()
                        .map(each -> between(NetworkPath.AGENTS, each, programs.port(each)))
                        .toList();
        all.addAll(List.of("--gateway", String.join(",", endpoints)));
        all.addAll(List.of("--first", "0", "--count", Integer.toString(nodes)));
        all.addAll(List.of("--effects", effects().toString()));
        all.addAll(List.of("--acknowledged", acknowledged().toString()));
        all.addAll(List.of("--fetch-unless", held().toString()));
        programs.know(NetworkPath.AGENTS, AgentsMain.class, Map.of(), all);
        programs.start(NetworkPath.AGENTS);
        await().atMost(SOON)
                .until(
                        () ->
                                GATEWAYS.stream().mapToLong(record::connected).sum() == nodes
                                        && record.epoch() > 0);
    }

    /** What agents are told of how they were made known. */
    private List<String> admitted(int nodes) {
        try (OperatorClient operator =
                new OperatorClient(
                        security.connectToCoordinator(
                                Address.parse(programs.endpoint("coordinator-1"))),
                        security.connectToGateway(
                                Address.parse(programs.endpoint("internal-gateway-1"))),
                        ledger)) {
            return security.registerNodesAndGetAgentArguments(operator, pool, 0, nodes);
        }
    }

    @Override
    public Path effects() {
        return directory.resolve("effects.log");
    }

    @Override
    public Path acknowledged() {
        return directory.resolve("acknowledged.log");
    }

    /** While it is there, agents get no artifact. */
    private Path held() {
        return directory.resolve("downloads-held");
    }

    /** Nodes that begin from now on are at work until downloads are allowed. */
    void holdDownloads() throws IOException {
        Files.createFile(held());
    }

    /** Nodes that wait for their artifact get it. */
    void allowDownloads() throws IOException {
        Files.delete(held());
    }

    /** Where operators reach the coordinators. */
    List<String> endpoints() {
        return COORDINATORS.stream().map(programs::endpoint).toList();
    }

    DatabaseStats ledger() {
        return ledger;
    }

    @Override
    public DatabaseReader record() {
        return record;
    }

    @Override
    public ConnectionPool pool() {
        return pool;
    }

    FaultProxies links() {
        return links;
    }

    PostgresProcess postgres() {
        return postgres;
    }

    ServiceProcesses programs() {
        return programs;
    }

    /** All members of etcd. */
    List<EtcdServer> members() {
        return etcd;
    }

    /** A member, by a name such as {@code etcd-2}. */
    EtcdServer member(String name) {
        return etcd.get(Integer.parseInt(name.substring("etcd-".length())) - 1);
    }

    /** Waits until every program takes connections again. */
    void awaitUp() {
        for (List<String> kind : List.of(MANIFESTS, EVALUATORS, GATEWAYS, COORDINATORS)) {
            for (String each : kind) {
                await().atMost(SOON).until(() -> programs.isUp(each));
            }
        }
    }

    @Override
    public void close() {
        programs.killAll();
        running.close();
    }
}
