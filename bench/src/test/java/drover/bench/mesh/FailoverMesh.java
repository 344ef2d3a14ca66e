package drover.bench.mesh;

import static org.awaitility.Awaitility.await;

import drover.bench.agents.AgentsMain;
import drover.bench.agents.BenchNode;
import drover.coordinator.RolloutCoordinatorMain;
import drover.coordinator.plan.Cause;
import drover.coordinator.store.HistoryRow;
import drover.evaluator.HealthEvaluatorMain;
import drover.gateway.NodeGatewayMain;
import drover.kit.database.ConnectionPool;
import drover.manifest.ManifestServiceMain;
import drover.standalone.database.Database;
import drover.standalone.home.DataDirectory;
import drover.standalone.home.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.slf4j.event.Level;

/**
 * Two of each service as real processes over one PostgreSQL, and agents in a process of their own
 * that know both gateways. Each can be killed, frozen and started again by its name.
 */
final class FailoverMesh implements AutoCloseable {
    static final int TTL_SECONDS = 3;
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final Duration LOOK = Duration.ofMillis(20); // the error of a time
    private static final int HEAP = 256;

    private final Path directory;
    private final Running running = new Running();
    private final ConnectionPool pool;
    private final Ledger ledger;
    private final Set<Integer> ports = new HashSet<>();
    private final Map<String, Function<Build, ServiceProcess>> known = new LinkedHashMap<>();
    private final Map<String, Build> builds = new TreeMap<>();
    private final Map<String, Integer> doors = new TreeMap<>();
    private final Map<String, ServiceProcess> alive = new TreeMap<>();
    private final Map<String, Operator> operators = new TreeMap<>();

    /** With agents that are simulated nodes'. */
    FailoverMesh(Path directory, int nodes) throws IOException {
        this(directory, nodes, Build.ofToday(), BenchNode.PROFILE);
        agents(nodes);
    }

    /**
     * Nodes are known, and no agent runs yet.
     *
     * @param build of all services, until they are replaced
     * @param profile of the nodes' chain
     */
    FailoverMesh(Path directory, int nodes, Build build, String profile) throws IOException {
        this.directory = directory;
        Database database =
                running.start(() -> Database.open(new DataDirectory(directory), Optional.empty()));
        this.pool = database.pool("drover-failover", 4);
        this.ledger = new Ledger(pool);
        Path config = directory.resolve("config");
        Files.createDirectories(config.resolve("chains"));
        Files.writeString(config.resolve("chains").resolve(BenchNode.CHAIN + ".yaml"), profile);
        plan(config);
        known.keySet().forEach(name -> builds.put(name, build));
        known.keySet().forEach(this::start);
        known.keySet().forEach(this::awaitDoor);
        Arrays.asList("coordinator-1", "coordinator-2").forEach(this::operate);
        operator("coordinator-1").register(0, nodes);
    }

    private void plan(Path config) {
        String manifests = "";
        String evaluators = "";
        for (int number = 1; number <= 2; number++) {
            String manifest = door("manifest-" + number);
            manifests += (number == 1 ? "" : ",") + manifest;
            service(
                    "manifest-" + number,
                    ManifestServiceMain.class,
                    List.of("--config", config.toString(), "--listen", manifest));
            String evaluator = door("health-" + number);
            evaluators += (number == 1 ? "" : ",") + evaluator;
            service("health-" + number, HealthEvaluatorMain.class, List.of("--listen", evaluator));
            service(
                    "gateway-" + number,
                    NodeGatewayMain.class,
                    List.of(
                            "--id",
                            "gateway-" + number,
                            "--agent-listen",
                            door("gateway-" + number),
                            "--internal-listen",
                            door("internal-" + number)));
        }
        for (int number = 1; number <= 2; number++) {
            service(
                    "coordinator-" + number,
                    RolloutCoordinatorMain.class,
                    List.of(
                            "--id",
                            "coordinator-" + number,
                            "--listen",
                            door("coordinator-" + number),
                            "--http",
                            door("http-" + number),
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

    private String door(String name) {
        int port =
                doors.computeIfAbsent(
                        name,
                        _ -> {
                            int free = Ports.free(ports);
                            ports.add(free);
                            return free;
                        });
        return "127.0.0.1:" + port;
    }

    private void service(String name, Class<?> main, List<String> arguments) {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of("--metrics", "off"));
        Map<String, String> secrets =
                Map.of(
                        "DROVER_GATEWAY_POSTGRES", pool.url(),
                        "DROVER_COORDINATOR_POSTGRES", pool.url());
        known.put(name, build -> build.start(directory, main, Level.INFO, HEAP, secrets, all));
    }

    private void agents(int nodes) {
        List<String> arguments =
                List.of(
                        "--gateway",
                        gateways(),
                        "--first",
                        "0",
                        "--count",
                        Integer.toString(nodes),
                        "--effects",
                        effects().toString());
        var _ =
                running.start(
                        () ->
                                ServiceProcess.start(
                                        directory,
                                        AgentsMain.class,
                                        Level.INFO,
                                        HEAP,
                                        Map.of(),
                                        arguments));
        awaitConnected(nodes);
    }

    /** Where agents dial. */
    String gateways() {
        return door("gateway-1") + "," + door("gateway-2");
    }

    void awaitConnected(int agents) {
        await().atMost(SOON).until(() -> connected("gateway-1") + connected("gateway-2") == agents);
    }

    /** What truly was started on the nodes. */
    Path effects() {
        return directory.resolve("effects.log");
    }

    /** Starts it, or starts it again; its door opens a moment later. */
    void start(String name) {
        Function<Build, ServiceProcess> service = Objects.requireNonNull(known.get(name));
        alive.put(
                name, running.start(() -> service.apply(Objects.requireNonNull(builds.get(name)))));
    }

    /** Ends it politely and starts it anew from this build; comes back when its door is open. */
    void replace(String name, Build build) {
        end(name);
        builds.put(name, build);
        start(name);
        awaitDoor(name);
    }

    void awaitDoor(String name) {
        var _ = process(name).awaitDoor(Objects.requireNonNull(doors.get(name)));
    }

    /** SIGKILL. */
    void kill(String name) {
        process(name).kill();
    }

    /** SIGTERM; comes back when it has ended. */
    void end(String name) {
        process(name).close();
    }

    /** {@code STOP} or {@code CONT}. */
    void signal(String name, String signal) {
        try {
            String pid = Long.toString(process(name).pid());
            new ProcessBuilder("kill", "-" + signal, pid).start().onExit().join();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    boolean isAlive(String name) {
        return process(name).isAlive();
    }

    private ServiceProcess process(String name) {
        return Objects.requireNonNull(alive.get(name));
    }

    private void operate(String coordinator) {
        operators.put(coordinator, new Operator(door(coordinator), door("internal-1"), ledger));
    }

    Operator operator(String coordinator) {
        return Objects.requireNonNull(operators.get(coordinator));
    }

    /** One whose coordinator is there. */
    Operator operator() {
        return operator(isAlive("coordinator-1") ? "coordinator-1" : "coordinator-2");
    }

    /** Where operators reach the coordinators. */
    List<String> coordinators() {
        return List.of(door("coordinator-1"), door("coordinator-2"));
    }

    Ledger ledger() {
        return ledger;
    }

    /** Which coordinator leads, as the fence says. */
    String leader() {
        return query("SELECT holder FROM coordinator.leader_epoch", row -> row.getString(1))
                .getFirst();
    }

    String other(String name) {
        return name.endsWith("1") ? name.replace('1', '2') : name.replace('2', '1');
    }

    private long epoch() {
        return query("SELECT epoch FROM coordinator.leader_epoch", row -> row.getLong(1))
                .getFirst();
    }

    /** How long after this another leader's first decision was written. */
    Duration untilNextDecision(Runnable what) {
        long before = epoch();
        long began = System.nanoTime();
        what.run();
        await().atMost(SOON).pollInterval(LOOK).until(() -> decisionsAfter(before) > 0);
        return Duration.ofNanos(System.nanoTime() - began);
    }

    private long decisionsAfter(long epoch) {
        return query(
                        "SELECT count(*) FROM coordinator.history WHERE epoch > " + epoch,
                        row -> row.getLong(1))
                .getFirst();
    }

    /** How long after this so many agents are connected to a gateway. */
    Duration untilConnected(String gateway, int agents, Runnable what) {
        long began = System.nanoTime();
        what.run();
        await().atMost(SOON).pollInterval(LOOK).until(() -> connected(gateway) == agents);
        return Duration.ofNanos(System.nanoTime() - began);
    }

    long connected(String gateway) {
        return query(
                        "SELECT count(*) FROM gateway.node WHERE gateway_id = '" + gateway + "'",
                        row -> row.getLong(1))
                .getFirst();
    }

    /** What is written of a rollout, oldest first. */
    List<HistoryRow> history(String rollout) {
        return query(
                "SELECT * FROM coordinator.history WHERE rollout_id = '"
                        + rollout
                        + "' ORDER BY seq",
                row ->
                        new HistoryRow(
                                row.getObject("at", OffsetDateTime.class).toInstant(),
                                row.getLong("epoch"),
                                row.getString("actor"),
                                row.getString("subject"),
                                row.getString("node_id"),
                                row.getString("from_status"),
                                row.getString("to_status"),
                                new Cause(row.getString("code"), row.getString("sentence"))));
    }

    /** How far both schemas are: the highest step of each. */
    List<String> schemas() {
        return query(
                "SELECT 'gateway ' || max(version::int) FROM gateway.schema_history UNION ALL"
                        + " SELECT 'coordinator ' || max(version::int) FROM"
                        + " coordinator.flyway_schema_history",
                row -> row.getString(1));
    }

    ConnectionPool pool() {
        return pool;
    }

    private interface Reading<T> {
        T read(ResultSet row) throws SQLException;
    }

    private <T> List<T> query(String sql, Reading<T> reading) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            List<T> all = new ArrayList<>();
            while (rows.next()) {
                all.add(reading.read(rows));
            }
            return all;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        operators.values().forEach(Operator::close);
        alive.values().forEach(ServiceProcess::kill); // all at once would be polite, and slow
        running.close();
    }
}
