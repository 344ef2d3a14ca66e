package drover.system.access;

import static org.awaitility.Awaitility.await;

import drover.bench.deployment.DatabaseStats;
import drover.bench.deployment.OperatorClient;
import drover.bench.deployment.ServiceProcess;
import drover.bench.deployment.StartedResources;
import drover.bench.fleet.AgentsMain;
import drover.bench.fleet.BenchNode;
import drover.coordinator.RolloutCoordinatorMain;
import drover.evaluator.HealthEvaluatorMain;
import drover.gateway.NodeGatewayMain;
import drover.kit.ca.CertificateAuthority;
import drover.kit.database.ConnectionPool;
import drover.kit.grpc.Address;
import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsCredentials;
import drover.kit.tls.TlsFiles;
import drover.localenv.DataDirectory;
import drover.localenv.Ports;
import drover.localenv.ca.CaFiles;
import drover.localenv.database.EmbeddedOrExternalDatabase;
import drover.manifest.ManifestServiceMain;
import drover.system.failover.ConsistencyCheck;
import drover.system.failover.DatabaseReader;
import drover.system.failover.PresentedCertificateProbe;
import drover.system.failover.ServiceProcesses;
import drover.trust.identity.PeerRule;
import drover.trust.identity.ServiceName;
import drover.trust.identity.SpiffeId;
import drover.trust.identity.TrustDomain;
import io.grpc.ChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.slf4j.event.Level;

/**
 * One of each service as a real process, which show certificates to each other and to operators,
 * over one PostgreSQL; and agents in a process of their own, which dial with tokens.
 */
final class MtlsDeployment implements ConsistencyCheck.Observed, AutoCloseable {
    static final TrustDomain DOMAIN = new TrustDomain("mesh.test");
    static final int NODES = 3;
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final int HEAP = 192;

    /** Each service that is dialled, with its program. */
    private static final Map<ServiceName, Class<?>> PROGRAMS =
            Map.of(
                    ServiceName.MANIFEST, ManifestServiceMain.class,
                    ServiceName.HEALTH, HealthEvaluatorMain.class,
                    ServiceName.GATEWAY, NodeGatewayMain.class,
                    ServiceName.COORDINATOR, RolloutCoordinatorMain.class);

    final CertificateAuthority authority = authority("services");
    private final Path directory;
    private final StartedResources running = new StartedResources();
    private final Set<Integer> ports = new HashSet<>();
    private final Map<ServiceName, Integer> endpoints = new EnumMap<>(ServiceName.class);
    private final Map<ServiceName, Integer> metrics = new EnumMap<>(ServiceName.class);
    private final Map<ServiceName, ServiceProcess> processes = new EnumMap<>(ServiceName.class);
    private final int http = port();
    private final ConnectionPool pool;
    private final DatabaseReader record;
    private final DatabaseStats ledger;
    private final OperatorClient operator;

    MtlsDeployment(Path directory) throws IOException {
        this.directory = directory;
        EmbeddedOrExternalDatabase database =
                running.start(
                        () ->
                                EmbeddedOrExternalDatabase.open(
                                        new DataDirectory(directory), Optional.empty()));
        this.pool = database.openPool("drover-proven", 2);
        this.record = new DatabaseReader(pool);
        this.ledger = new DatabaseStats(pool);
        PROGRAMS.keySet().forEach(service -> endpoints.put(service, port()));
        PROGRAMS.keySet().forEach(service -> metrics.put(service, port()));
        int agents = port();
        start(ServiceName.MANIFEST, List.of("--config", profile(), "--listen"));
        start(ServiceName.HEALTH, List.of("--listen"));
        start(
                ServiceName.GATEWAY,
                List.of("--id", "g1", "--agent-listen", at(agents), "--internal-listen"));
        start(
                ServiceName.COORDINATOR,
                List.of(
                        "--id",
                        "c1",
                        "--http",
                        at(http),
                        "--manifest",
                        endpoint(ServiceName.MANIFEST),
                        "--health",
                        endpoint(ServiceName.HEALTH),
                        "--operator-tls",
                        directory.resolve("operators").toString(),
                        "--insecure", // the doors are local, and keys are another test's
                        "true",
                        "--listen"));
        processes.forEach(
                (service, it) -> it.awaitPort(Objects.requireNonNull(endpoints.get(service))));
        this.operator =
                new OperatorClient(
                        channel(ServiceName.COORDINATOR, operatorsCredentials()),
                        channel(ServiceName.GATEWAY, as(ServiceName.PREPARE, ServiceName.GATEWAY)),
                        ledger);
        operator.register(0, NODES);
        startAgents(agents);
    }

    private void start(ServiceName service, List<String> own) {
        issue(service.wireName(), DOMAIN.service(service), authority);
        if (service == ServiceName.COORDINATOR) {
            issue("operators", DOMAIN.service(service), authority);
        }
        List<String> all = new ArrayList<>(own);
        all.add(endpoint(service));
        all.addAll(List.of("--metrics", at(Objects.requireNonNull(metrics.get(service)))));
        all.addAll(List.of("--service-tls", directory.resolve(service.wireName()).toString()));
        all.addAll(List.of("--trust-domain", DOMAIN.value()));
        Map<String, String> secrets =
                Map.of(
                        "DROVER_GATEWAY_POSTGRES", pool.url(),
                        "DROVER_COORDINATOR_POSTGRES", pool.url());
        Class<?> program = Objects.requireNonNull(PROGRAMS.get(service));
        processes.put(
                service,
                running.start(
                        () ->
                                ServiceProcesses.SHORT_LIVED.start(
                                        directory, program, Level.INFO, HEAP, secrets, all)));
    }

    private void startAgents(int port) {
        List<String> arguments =
                List.of(
                        "--gateway",
                        at(port),
                        "--first",
                        "0",
                        "--count",
                        Integer.toString(NODES),
                        "--effects",
                        effects().toString(),
                        "--acknowledged",
                        acknowledged().toString());
        var _ =
                running.start(
                        () ->
                                ServiceProcesses.SHORT_LIVED.start(
                                        directory,
                                        AgentsMain.class,
                                        Level.WARN,
                                        HEAP,
                                        Map.of(),
                                        arguments));
        await().atMost(SOON).until(() -> ledger.nodesWithReportedPrograms() == NODES);
    }

    private String profile() {
        try {
            Path config = directory.resolve("config");
            Files.createDirectories(config.resolve("chains"));
            Files.writeString(
                    config.resolve("chains").resolve(BenchNode.CHAIN + ".yaml"), BenchNode.PROFILE);
            return config.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static CertificateAuthority authority(String name) {
        CertificateAuthority.NewCa founded =
                CertificateAuthority.create(name, Instant.now(), Duration.ofDays(1));
        return CertificateAuthority.fromPem(founded.certificatePem(), founded.keyPem());
    }

    /** Makes files that believe this mesh's authority, or makes them anew. */
    TlsFiles issue(String name, SpiffeId who, CertificateAuthority signer) {
        return CaFiles.issue(
                signer,
                new CaFiles.ServiceCertificateSpec(
                        who,
                        List.of("127.0.0.1"),
                        List.of(authority.certificate()),
                        Instant.now(),
                        Duration.ofDays(90)),
                directory.resolve(name));
    }

    /** Who dials with these files, and expects this service. */
    static ChannelCredentials with(TlsFiles files, ServiceName to) {
        return TlsCredentials.channelCredentials(
                ReloadingIdentity.open(files, Duration.ofHours(1)),
                PeerRule.ofServices(DOMAIN, to.wireName()));
    }

    /** With a good certificate of this service. */
    ChannelCredentials as(ServiceName from, ServiceName to) {
        return with(issue("as-" + from, DOMAIN.service(from), authority), to);
    }

    /** Showing nothing, as operators do. */
    ChannelCredentials operatorsCredentials() {
        try {
            return TlsChannelCredentials.newBuilder()
                    .trustManager(
                            new ByteArrayInputStream(trust().getBytes(StandardCharsets.US_ASCII)))
                    .build();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same for web clients and bare sockets. */
    SSLContext trusting() {
        return PresentedCertificateProbe.trusting(authority.certificate());
    }

    /** Whom to believe, as PEM. */
    String trust() {
        return CertificateAuthority.toPem(List.of(authority.certificate()));
    }

    /** To a service's door; the coordinator's is that of operators. */
    ManagedChannel channel(ServiceName to, ChannelCredentials credentials) {
        Address.Tcp address = (Address.Tcp) Address.parse(endpoint(to));
        return NettyChannelBuilder.forAddress(address.host(), address.port(), credentials).build();
    }

    String endpoint(ServiceName service) {
        return at(Objects.requireNonNull(endpoints.get(service)));
    }

    String metrics(ServiceName service) {
        return "http://" + at(Objects.requireNonNull(metrics.get(service)));
    }

    String rest() {
        return "https://" + at(http);
    }

    String log(ServiceName service) {
        try {
            return Files.readString(Objects.requireNonNull(processes.get(service)).log());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean allAlive() {
        return processes.values().stream().allMatch(ServiceProcess::isAlive);
    }

    OperatorClient operator() {
        return operator;
    }

    @Override
    public DatabaseReader record() {
        return record;
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
    public ConnectionPool pool() {
        return pool;
    }

    private int port() {
        int free = Ports.findFree(ports);
        ports.add(free);
        return free;
    }

    private static String at(int port) {
        return "127.0.0.1:" + port;
    }

    @Override
    public void close() {
        operator.close();
        processes.values().forEach(ServiceProcess::kill); // all at once would be polite, and slow
        running.close();
    }
}
