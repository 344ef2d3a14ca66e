package drover.gateway;

import drover.gateway.api.AgentDoor;
import drover.gateway.api.GatewayControlDoor;
import drover.gateway.api.HeartbeatFeedDoor;
import drover.gateway.api.HeartbeatPace;
import drover.gateway.api.JoinTokenDoor;
import drover.gateway.api.NodeDirectoryDoor;
import drover.gateway.engine.Drain;
import drover.gateway.engine.GatewayMetrics;
import drover.gateway.engine.InventoryWriter;
import drover.gateway.engine.Leadership;
import drover.gateway.engine.NodeDirectory;
import drover.gateway.engine.RevocationDesk;
import drover.gateway.engine.RevocationWatch;
import drover.gateway.engine.SessionTable;
import drover.gateway.engine.Ticker;
import drover.gateway.engine.TokenDesk;
import drover.gateway.session.StreamAge;
import drover.gateway.store.CertificateStore;
import drover.gateway.store.IdentityStore;
import drover.gateway.store.NodeStore;
import drover.gateway.store.StoreUnavailable;
import drover.kit.edge.ServiceEdges;
import drover.kit.grpc.Address;
import drover.kit.grpc.GrpcHost;
import drover.kit.telemetry.Metrics;
import drover.model.identity.MeshService;
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

    private static final Duration GATEWAY_BEAT = Duration.ofSeconds(5);
    private static final Duration LONGEST_SILENCE = GATEWAY_BEAT.multipliedBy(3);

    private final NodeGatewayConfig config;
    private final NodeStore store;
    private final Optional<GatewayTls> tls;
    private final SessionTable table;
    private final Ticker ticker = new Ticker();
    private final Leadership leadership;
    private final HeartbeatFeedDoor feedDoor;
    private final Runnable withdrawStreams;
    private final InventoryWriter inventory;
    private final GrpcHost internalHost;
    private volatile long saidAt = System.nanoTime();
    private final RevocationWatch revocations;
    private final AgentDoors agentDoors;

    /**
     * The outermost parts, which differ between one process and several machines.
     *
     * @param metrics of the process, which its owner shows and closes
     * @param tls what it proves itself with; empty where agents show tokens over plain connections
     * @param edges how other services get in
     */
    public record Parts(
            DataSource database, Metrics metrics, Optional<GatewayTls> tls, ServiceEdges edges) {
        /** With plain connections among services. */
        public Parts(DataSource database, Metrics metrics, Optional<GatewayTls> tls) {
            this(database, metrics, tls, ServiceEdges.plain(MeshService.GATEWAY));
        }

        /** Where agents show tokens over plain connections. */
        public Parts(DataSource database, Metrics metrics) {
            this(database, metrics, Optional.empty());
        }

        /** With metrics that nobody looks at. */
        public Parts(DataSource database) {
            this(database, Metrics.open());
        }
    }

    private NodeGateway(
            NodeGatewayConfig config,
            Memory memory,
            Metrics metrics,
            Optional<GatewayTls> tls,
            ServiceEdges edges) {
        tls.ifPresent(own -> own.requireApartFrom(edges));
        this.config = config;
        this.store = memory.nodes();
        this.tls = tls;
        GatewayMetrics meter = new GatewayMetrics(metrics);
        this.table = new SessionTable(System::nanoTime, meter);
        this.leadership = new Leadership(table);
        this.feedDoor = new HeartbeatFeedDoor(table);
        this.withdrawStreams = meter.show(table);
        this.inventory = new InventoryWriter(config.gatewayId(), table, store);
        table.watch(inventory); // before a door opens: no watcher is told what came before it
        AgentDoors.Books books = AgentDoors.Books.of(memory);
        this.revocations = books.watch(memory, table);
        this.internalHost = openInternalDoor(edges, memory, tokenDesk(memory.identities(), tls));
        try {
            this.agentDoors = new AgentDoors(config, agents(), memory, books, tls, meter);
        } catch (RuntimeException e) {
            internalHost.close(); // half a gateway helps nobody
            ticker.close();
            throw e;
        }
    }

    private AgentDoor agents() {
        HeartbeatPace pace = new HeartbeatPace(config.idleHeartbeat(), config.activeHeartbeat());
        StreamAge age = new StreamAge(config.limits().connections().age());
        return new AgentDoor(
                table,
                ticker,
                revocations,
                pace,
                age,
                InstantSource.system(),
                config.limits().rate());
    }

    private static TokenDesk tokenDesk(IdentityStore identities, Optional<GatewayTls> tls) {
        return new TokenDesk(
                identities,
                tls.filter(own -> own.enrolment().isPresent()).map(own -> own::pin),
                InstantSource.system());
    }

    /**
     * Brings the schema up to date, opens its doors, and says where it is.
     *
     * @throws StoreUnavailable when the database is away
     */
    public static NodeGateway start(NodeGatewayConfig config, Parts parts) {
        return start(
                config, Memory.in(parts.database()), parts.metrics(), parts.tls(), parts.edges());
    }

    /** The same over any stores, with metrics that nobody looks at; agents show tokens. */
    public static NodeGateway start(
            NodeGatewayConfig config,
            NodeStore store,
            IdentityStore identities,
            CertificateStore certificates) {
        return start(
                config,
                new Memory(store, identities, certificates),
                Metrics.open(),
                Optional.empty(),
                ServiceEdges.plain(MeshService.GATEWAY));
    }

    private static NodeGateway start(
            NodeGatewayConfig config,
            Memory memory,
            Metrics metrics,
            Optional<GatewayTls> tls,
            ServiceEdges edges) {
        NodeGateway gateway = new NodeGateway(config, memory, metrics, tls, edges);
        try {
            gateway.begin();
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
    private void begin() {
        revocations.begin(ticker);
        store.gatewayBegins(config.gatewayId()); // before it writes down what it holds itself
        inventory.begin(ticker);
        sayThatItIsThere();
        ticker.every(GATEWAY_BEAT, this::sayThatItIsThere);
        ticker.every(GATEWAY_BEAT, table::forgetMisplaced);
        ticker.every(GATEWAY_BEAT, table::forgetRejected);
        LOG.info(
                "A gateway is open gatewayId={} agentAddress={} internalAddress={}",
                config.gatewayId(),
                listening(config.agentDoor(), agentDoors.port()),
                advertisedAddress());
    }

    private void sayThatItIsThere() {
        store.gatewaySeen(config.gatewayId(), advertisedAddress());
        saidAt = System.nanoTime();
    }

    /** What keeps it from working, a sentence each; nothing when it is ready. */
    public List<String> problems() {
        return problems(Duration.ofNanos(System.nanoTime() - saidAt));
    }

    /** What somebody should see to while it serves its nodes, a sentence each. */
    public List<String> notices() {
        return tls.map(GatewayTls::notices).orElse(List.of());
    }

    /** The same, when the database has been silent for so long. */
    static List<String> problems(Duration silence) {
        return silence.compareTo(LONGEST_SILENCE) <= 0
                ? List.of()
                : List.of(
                        "The database has not answered for "
                                + silence.toSeconds()
                                + " s: see whether it is up and can be reached.");
    }

    private GrpcHost openInternalDoor(ServiceEdges edges, Memory memory, TokenDesk tokens) {
        return edges.door()
                .serve(
                        new NodeDirectoryDoor(
                                new NodeDirectory(
                                        config.gatewayId(),
                                        table,
                                        store,
                                        InstantSource.system(),
                                        config.idleHeartbeat()),
                                new RevocationDesk(memory.certificates())))
                .serve(new GatewayControlDoor(config.gatewayId(), table, leadership))
                .serve(feedDoor)
                .serve(new JoinTokenDoor(tokens))
                .listen(
                        config.internalDoor(),
                        builder -> builder.maxInboundMessageSize(LARGEST_INTERNAL_MESSAGE));
    }

    /** The port that agents dial; -1 inside a process. */
    public int agentPort() {
        return agentDoors.port();
    }

    /** The port of the plain door beside one that asks for certificates; empty without it. */
    public OptionalInt tokenPort() {
        return agentDoors.tokenPort();
    }

    /** The port where machines are enrolled; empty where they are not. */
    public OptionalInt enrolmentPort() {
        return agentDoors.enrolmentPort();
    }

    /** The port that coordinators and evaluators dial; -1 inside a process. */
    public int internalPort() {
        return internalHost.port();
    }

    /** How others write the internal door. */
    public String advertisedAddress() {
        return config.advertisedInternalAddress().isEmpty()
                ? listening(config.internalDoor(), internalHost.port())
                : config.advertisedInternalAddress();
    }

    private static String listening(Address address, int port) {
        return switch (address) {
            case Address.Tcp(String name, int _) -> new Address.Tcp(name, port).toString();
            case Address.InProcess inProcess -> inProcess.toString();
        };
    }

    /** Lets its agents go to other gateways, then closes the doors and withdraws its address. */
    @Override
    public void close() {
        Drain.of(table, ticker);
        table.endAll();
        leadership.end();
        feedDoor.endAll();
        agentDoors.close();
        internalHost.close();
        ticker.close();
        withdrawStreams.run();
        try {
            inventory.flush();
            store.gatewayGone(config.gatewayId());
        } catch (StoreUnavailable e) {
            LOG.warn(
                    "A gateway could not withdraw its address; it will expire gatewayId={}",
                    config.gatewayId(),
                    e);
        }
    }
}
