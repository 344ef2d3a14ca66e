package drover.gateway;

import drover.gateway.api.AgentGrpcService;
import drover.gateway.api.GatewayControlGrpcService;
import drover.gateway.api.HeartbeatFeedGrpcService;
import drover.gateway.api.IdleAndActiveIntervals;
import drover.gateway.api.JoinTokenGrpcService;
import drover.gateway.api.NodeDirectoryGrpcService;
import drover.gateway.engine.GatewayDrain;
import drover.gateway.engine.GatewayMetrics;
import drover.gateway.engine.TaskScheduler;
import drover.gateway.engine.credential.JoinTokenService;
import drover.gateway.engine.credential.NodeRevocationWriter;
import drover.gateway.engine.credential.RevocationMonitor;
import drover.gateway.engine.directory.InventoryAndLastSeenWriter;
import drover.gateway.engine.directory.StoredNodeDirectory;
import drover.gateway.engine.leader.LeaderAttachment;
import drover.gateway.engine.session.NodeLogReader;
import drover.gateway.engine.session.SessionTable;
import drover.gateway.session.MaxConnectionAge;
import drover.gateway.store.EnrollmentStore;
import drover.gateway.store.NodeCertificateStore;
import drover.gateway.store.NodeStore;
import drover.gateway.store.StoreUnavailable;
import drover.kit.grpc.Address;
import drover.kit.grpc.GrpcServer;
import drover.kit.mtls.ServiceTransport;
import drover.kit.telemetry.Metrics;
import drover.trust.identity.ServiceName;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running gateway: two doors, the table of sessions between them, and what is remembered. */
public final class NodeGateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeGateway.class);

    /** A leader's message: room for 1,000 entries, most of which are small. */
    private static final int LARGEST_INTERNAL_MESSAGE = 16 * 1024 * 1024;

    private static final Duration REGISTRATION_INTERVAL = Duration.ofSeconds(5);
    private static final Duration MAX_DATABASE_OUTAGE = REGISTRATION_INTERVAL.multipliedBy(3);

    private final NodeGatewayConfig config;
    private final NodeStore store;
    private final Optional<AgentEndpointTls> tls;
    private final SessionTable table;
    private final TaskScheduler ticker = new TaskScheduler();
    private final LeaderAttachment leadership;
    private final HeartbeatFeedGrpcService heartbeatFeed;
    private final Runnable withdrawStreams;
    private final InventoryAndLastSeenWriter inventory;
    private final GrpcServer internalHost;
    private volatile long reportedAt = System.nanoTime();
    private final RevocationMonitor revocations;
    private final AgentEndpoints agentEndpoints;

    /**
     * The outermost parts, which differ between one process and several machines.
     *
     * @param metrics of the process, which its owner shows and closes
     * @param tls what it proves itself with; empty where agents show tokens over plain connections
     * @param connections how other services get in
     */
    public record Dependencies(
            DataSource database,
            Metrics metrics,
            Optional<AgentEndpointTls> tls,
            ServiceTransport connections) {
        /** With plain connections among services. */
        public Dependencies(DataSource database, Metrics metrics, Optional<AgentEndpointTls> tls) {
            this(database, metrics, tls, ServiceTransport.plaintext(ServiceName.GATEWAY));
        }

        /** Where agents show tokens over plain connections. */
        public Dependencies(DataSource database, Metrics metrics) {
            this(database, metrics, Optional.empty());
        }

        /** With metrics that nobody looks at. */
        public Dependencies(DataSource database) {
            this(database, Metrics.open());
        }
    }

    private NodeGateway(
            NodeGatewayConfig config,
            GatewayStores memory,
            Metrics metrics,
            Optional<AgentEndpointTls> tls,
            ServiceTransport edges) {
        tls.ifPresent(own -> own.requireSeparateCa(edges));
        this.config = config;
        this.store = memory.nodes();
        this.tls = tls;
        GatewayMetrics meter = new GatewayMetrics(metrics);
        this.table = new SessionTable(System::nanoTime, meter);
        this.leadership = new LeaderAttachment(table);
        this.heartbeatFeed = new HeartbeatFeedGrpcService(table);
        this.withdrawStreams = meter.registerStreamGauge(table);
        this.inventory = new InventoryAndLastSeenWriter(config.gatewayId(), table, store);
        table.watch(inventory); // before a door opens: no watcher is told what came before it
        AgentEndpoints.Authenticators books = AgentEndpoints.Authenticators.of(memory);
        this.revocations = books.newRevocationMonitor(memory, table);
        this.internalHost =
                openInternalServer(edges, memory, newJoinTokenService(memory.identities(), tls));
        try {
            this.agentEndpoints =
                    new AgentEndpoints(config, newAgentService(), memory, books, tls, meter);
        } catch (RuntimeException e) {
            internalHost.close(); // half a gateway helps nobody
            ticker.close();
            throw e;
        }
    }

    private AgentGrpcService newAgentService() {
        IdleAndActiveIntervals pace =
                new IdleAndActiveIntervals(config.idleHeartbeat(), config.activeHeartbeat());
        MaxConnectionAge age = new MaxConnectionAge(config.limits().connections().maxAge());
        return new AgentGrpcService(
                table,
                ticker,
                revocations,
                pace,
                age,
                InstantSource.system(),
                config.limits().rate());
    }

    private static JoinTokenService newJoinTokenService(
            EnrollmentStore identities, Optional<AgentEndpointTls> tls) {
        return new JoinTokenService(
                identities,
                tls.filter(own -> own.enrollment().isPresent()).map(own -> own::gatewayCaPin),
                InstantSource.system());
    }

    /**
     * Brings the schema up to date, opens its doors, and says where it is.
     *
     * @throws StoreUnavailable when the database is away
     */
    public static NodeGateway start(NodeGatewayConfig config, Dependencies parts) {
        return start(
                config,
                GatewayStores.migrateAndOpen(parts.database()),
                parts.metrics(),
                parts.tls(),
                parts.connections());
    }

    /** The same over any stores, with metrics that nobody looks at; agents show tokens. */
    public static NodeGateway start(
            NodeGatewayConfig config,
            NodeStore store,
            EnrollmentStore identities,
            NodeCertificateStore certificates) {
        return start(
                config,
                new GatewayStores(store, identities, certificates),
                Metrics.open(),
                Optional.empty(),
                ServiceTransport.plaintext(ServiceName.GATEWAY));
    }

    private static NodeGateway start(
            NodeGatewayConfig config,
            GatewayStores memory,
            Metrics metrics,
            Optional<AgentEndpointTls> tls,
            ServiceTransport edges) {
        NodeGateway gateway = new NodeGateway(config, memory, metrics, tls, edges);
        try {
            gateway.releaseNodesAndStartLoops();
        } catch (RuntimeException e) {
            gateway.close();
            throw e;
        }
        return gateway;
    }

    /**
     * Its ports are its own by now, so no process of the same name that lives holds any node. Nodes
     * are let in meanwhile: what ended is looked for from the start, and what they say is kept
     * until the rows of the process before are given up.
     */
    private void releaseNodesAndStartLoops() {
        revocations.start(ticker);
        store.releaseGatewayNodes(config.gatewayId()); // before it writes down what it holds itself
        inventory.start(ticker);
        refreshRegistration();
        ticker.scheduleRepeated(REGISTRATION_INTERVAL, this::refreshRegistration);
        ticker.scheduleRepeated(REGISTRATION_INTERVAL, table::expireIdentityMismatches);
        ticker.scheduleRepeated(REGISTRATION_INTERVAL, table::expireRejectedMessages);
        LOG.info(
                "A gateway is open gatewayId={} agentAddress={} internalAddress={}",
                config.gatewayId(),
                listenAddress(config.agentAddress(), agentEndpoints.agentPort()),
                advertisedAddress());
    }

    private void refreshRegistration() {
        store.recordGatewayHeartbeat(config.gatewayId(), advertisedAddress());
        reportedAt = System.nanoTime();
    }

    /** What keeps it from working, a sentence each; nothing when it is ready. */
    public List<String> problems() {
        return databaseOutageProblems(Duration.ofNanos(System.nanoTime() - reportedAt));
    }

    /** What somebody should see to while it serves its nodes, a sentence each. */
    public List<String> notices() {
        return tls.map(AgentEndpointTls::notices).orElse(List.of());
    }

    /** The same, when the database has been silent for so long. */
    static List<String> databaseOutageProblems(Duration timeout) {
        return timeout.compareTo(MAX_DATABASE_OUTAGE) <= 0
                ? List.of()
                : List.of(
                        "The database has not answered for "
                                + timeout.toSeconds()
                                + " s: see whether it is up and can be reached.");
    }

    private GrpcServer openInternalServer(
            ServiceTransport edges, GatewayStores memory, JoinTokenService tokens) {
        return edges.serverBuilder()
                .addService(
                        new NodeDirectoryGrpcService(
                                new StoredNodeDirectory(
                                        config.gatewayId(),
                                        table,
                                        store,
                                        InstantSource.system(),
                                        config.idleHeartbeat()),
                                new NodeRevocationWriter(memory.certificates()),
                                new NodeLogReader(table)))
                .addService(new GatewayControlGrpcService(config.gatewayId(), table, leadership))
                .addService(heartbeatFeed)
                .addService(new JoinTokenGrpcService(tokens))
                .listen(
                        config.internalAddress(),
                        builder -> builder.maxInboundMessageSize(LARGEST_INTERNAL_MESSAGE));
    }

    /** The port that agents dial; -1 inside a process. */
    public int agentPort() {
        return agentEndpoints.agentPort();
    }

    /** The port of the plain door beside one that asks for certificates; empty without it. */
    public OptionalInt nodeTokenAgentPort() {
        return agentEndpoints.nodeTokenAgentPort();
    }

    /** The port where machines are enrolled; empty where they are not. */
    public OptionalInt enrollmentPort() {
        return agentEndpoints.enrollmentPort();
    }

    /** The port that coordinators and evaluators dial; -1 inside a process. */
    public int internalPort() {
        return internalHost.port();
    }

    /** How others write the internal door. */
    public String advertisedAddress() {
        return config.advertisedInternalAddress().isEmpty()
                ? listenAddress(config.internalAddress(), internalHost.port())
                : config.advertisedInternalAddress();
    }

    private static String listenAddress(Address address, int port) {
        return switch (address) {
            case Address.Tcp(String name, int _) -> new Address.Tcp(name, port).toString();
            case Address.InProcess inProcess -> inProcess.toString();
        };
    }

    /** Lets its agents go to other gateways, then closes the doors and withdraws its address. */
    @Override
    public void close() {
        GatewayDrain.drain(table, ticker);
        table.endAll();
        leadership.endStream();
        heartbeatFeed.endAll();
        agentEndpoints.close();
        internalHost.close();
        ticker.close();
        withdrawStreams.run();
        try {
            inventory.flush();
            store.removeGateway(config.gatewayId());
        } catch (StoreUnavailable e) {
            LOG.warn(
                    "A gateway could not withdraw its address; it will expire gatewayId={}",
                    config.gatewayId(),
                    e);
        }
    }
}
