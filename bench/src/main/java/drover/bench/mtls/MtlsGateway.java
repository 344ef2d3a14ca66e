package drover.bench.mtls;

import drover.bench.deployment.ServiceProcess;
import drover.bench.deployment.StartedResources;
import drover.bench.fleet.AgentsMain;
import drover.gateway.NodeGatewayMain;
import drover.gateway.store.PostgresNodeStore;
import drover.kit.database.ConnectionPool;
import drover.localenv.Await;
import drover.localenv.DataDirectory;
import drover.localenv.Ports;
import drover.localenv.UserFacingError;
import drover.localenv.database.EmbeddedOrExternalDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.event.Level;

/** One gateway that asks agents for certificates, its database, and agents that show theirs. */
public final class MtlsGateway implements AutoCloseable {
    private static final int HEAP = 1024; // MiB, as `./drover up`
    private static final int AGENTS_HEAP = 512; // and a quarter MiB for each agent
    private static final Duration CONNECT = Duration.ofMinutes(5);

    private static final String UNBOUNDED = "1000000"; // a second: no machine does that

    private final List<String> limits;
    private final Path logs;
    private final StartedResources running;
    private final int streams;
    private final BenchCa identities;
    private final Path nodes;
    private final String database;
    private final String files;
    private final Set<Integer> ports = new HashSet<>();
    private final int agentPort = reservePort();
    private final int internalPort = reservePort();
    private final int metricsPort = reservePort();
    private final StreamCountReader counted =
            new StreamCountReader(metricsPort, "drover_gateway_streams");
    private ServiceProcess gateway;

    /** Starts it; agents come with {@link #connectAgents}. */
    public MtlsGateway(Path directory, StartedResources running, BenchCa identities, int streams) {
        this(directory, running, identities, streams, List.of());
    }

    private MtlsGateway(
            Path directory,
            StartedResources running,
            BenchCa identities,
            int streams,
            List<String> limits) {
        this.limits = limits;
        this.logs = directory;
        this.running = running;
        this.streams = streams;
        this.identities = identities;
        this.files = identities.issueService("gateway").chain().getParent() + "";
        EmbeddedOrExternalDatabase postgres =
                running.start(
                        () ->
                                EmbeddedOrExternalDatabase.open(
                                        new DataDirectory(directory), Optional.empty()));
        ConnectionPool pool = postgres.openPool("drover-bench", 2);
        PostgresNodeStore.migrateAndOpen(pool);
        this.nodes = identities.enrollNodes(pool, 0, streams);
        this.database = pool.url();
        this.gateway = start();
    }

    /** Starts one without agents, that admits as many dials as come. */
    public static MtlsGateway startUnlimited(
            Path directory, StartedResources running, BenchCa identities) {
        return new MtlsGateway(
                directory,
                running,
                identities,
                1, // nobody is enrolled by none
                List.of("--max-dials", UNBOUNDED, "--max-dials-of-one", UNBOUNDED));
    }

    private int reservePort() {
        int free = Ports.findFree(ports);
        ports.add(free);
        return free;
    }

    private static String localAddress(int port) {
        return "127.0.0.1:" + port;
    }

    private ServiceProcess start() {
        List<String> arguments = new ArrayList<>(limits);
        arguments.addAll(
                List.of(
                        "--id",
                        "bench",
                        "--agent-listen",
                        localAddress(agentPort),
                        "--internal-listen",
                        localAddress(internalPort),
                        "--metrics",
                        localAddress(metricsPort),
                        "--tls",
                        files,
                        "--trust-domain",
                        BenchCa.DOMAIN.value()));
        Map<String, String> secrets = Map.of("DROVER_GATEWAY_POSTGRES", database);
        ServiceProcess started =
                running.start(
                        () ->
                                ServiceProcess.start(
                                        logs,
                                        NodeGatewayMain.class,
                                        Level.WARN,
                                        HEAP,
                                        secrets,
                                        arguments));
        return started.awaitPort(agentPort);
    }

    /** What the gateway holds before any agent dials. */
    public ProcessMemory measureMemory() {
        return ProcessMemory.measure(gateway.pid());
    }

    /**
     * All agents dial.
     *
     * @param again dial again within this many seconds
     * @return until all were there
     */
    public Duration connectAgents(int again) {
        running.start(
                () ->
                        ServiceProcess.start(
                                logs,
                                AgentsMain.class,
                                Level.ERROR, // that a killed gateway is away is no news
                                AGENTS_HEAP + streams / 4,
                                Map.of(),
                                List.of(
                                        "--gateway",
                                        localAddress(agentPort),
                                        "--first",
                                        "0",
                                        "--count",
                                        Integer.toString(streams),
                                        "--identities",
                                        nodes + "",
                                        "--dial-again",
                                        Integer.toString(again))));
        return counted.await(streams, CONNECT);
    }

    /** Kills the gateway and starts it at once; from the kill until every agent is back. */
    public Duration measureRestart() {
        long startedNanos = System.nanoTime();
        gateway.kill();
        gateway = start();
        counted.await(streams, CONNECT);
        return Duration.ofNanos(System.nanoTime() - startedNanos);
    }

    /**
     * A process dials it without end.
     *
     * @param atOnce handshakes at a time
     * @param warmUp what comes before the time that counts
     */
    public HandshakeThroughput measureHandshakes(int atOnce, Duration warmUp, Duration time) {
        int metrics = reservePort();
        running.start(() -> startHandshakeClient(atOnce, metrics));
        try (StreamCountReader done = new StreamCountReader(metrics, HandshakeClientMain.DONE)) {
            done.await(1, CONNECT);
            Await.until(warmUp, () -> false);
            long startedNanos = System.nanoTime();
            int before = done.currentCount();
            Duration busy = cpuTime();
            Await.until(time, () -> false);
            int during = done.currentCount() - before;
            Duration took = Duration.ofNanos(System.nanoTime() - startedNanos);
            return new HandshakeThroughput(during, took, cpuTime().minus(busy));
        }
    }

    private Duration cpuTime() {
        return ProcessHandle.of(gateway.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow(
                        () -> new UserFacingError("The gateway has ended; its log is in " + logs));
    }

    private ServiceProcess startHandshakeClient(int atOnce, int metrics) {
        return ServiceProcess.start(
                logs,
                HandshakeClientMain.class,
                Level.WARN,
                AGENTS_HEAP,
                Map.of(),
                List.of(
                        "--server",
                        localAddress(agentPort),
                        "--tls",
                        identities.issueBare().clientDirectory() + "",
                        "--at-once",
                        Integer.toString(atOnce),
                        "--metrics",
                        localAddress(metrics)));
    }

    /** As many streams at a server that does nothing else: what each adds to it. */
    public ProcessMemory measureBaselinePerStream(Path directory) {
        int metrics = reservePort();
        try (TlsStreamMemoryBaseline bare =
                new TlsStreamMemoryBaseline(
                        directory, running, identities, reservePort(), metrics)) {
            return bare.measurePerStream(streams, CONNECT);
        }
    }

    @Override
    public void close() {
        counted.close();
    }
}
