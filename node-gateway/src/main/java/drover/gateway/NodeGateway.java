package drover.gateway;

import drover.gateway.api.AgentDoor;
import drover.gateway.api.GatewayControlDoor;
import drover.gateway.api.HeartbeatFeedDoor;
import drover.gateway.api.HeartbeatPace;
import drover.gateway.api.NodeCredentials;
import drover.gateway.api.NodeDirectoryDoor;
import drover.gateway.engine.CredentialBook;
import drover.gateway.engine.Drain;
import drover.gateway.engine.GatewayMetrics;
import drover.gateway.engine.InventoryWriter;
import drover.gateway.engine.Leadership;
import drover.gateway.engine.NodeDirectory;
import drover.gateway.engine.SessionTable;
import drover.gateway.engine.Ticker;
import drover.gateway.store.NodeStore;
import drover.gateway.store.PostgresNodeStore;
import drover.gateway.store.StoreUnavailable;
import drover.kit.grpc.Address;
import drover.kit.grpc.GrpcHost;
import drover.kit.telemetry.Metrics;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running gateway: two doors, the table of sessions between them, and what is remembered. */
public final class NodeGateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeGateway.class);

    /** Four times the largest status with its Hello, half of what floods need (invariant H9). */
    private static final int LARGEST_AGENT_MESSAGE = 256 * 1024;

    private static final int LARGEST_AGENT_METADATA = 8 * 1024;
    private static final int AGENT_WINDOW = 64 * 1024; // what one agent may have unread in memory
    private static final int AGENT_CALLS = 4; // one stream, health, reflection, one to spare

    /** A leader's message: room for 1,000 entries, most of which are small. */
    private static final int LARGEST_INTERNAL_MESSAGE = 16 * 1024 * 1024;

    private static final Duration GATEWAY_BEAT = Duration.ofSeconds(5);
    private static final Duration LONGEST_SILENCE = GATEWAY_BEAT.multipliedBy(3);

    private final NodeGatewayConfig config;
    private final NodeStore store;
    private final SessionTable table;
    private final Ticker ticker = new Ticker();
    private final Leadership leadership;
    private final HeartbeatFeedDoor feedDoor;
    private final Runnable withdrawStreams;
    private final InventoryWriter inventory;
    private final GrpcHost internalHost;
    private volatile long saidAt = System.nanoTime();
    private final GrpcHost agentHost;

    /**
     * The outermost parts, which differ between one process and several machines.
     *
     * @param metrics of the process, which its owner shows and closes
     */
    public record Parts(DataSource database, Metrics metrics) {
        /** With metrics that nobody looks at. */
        public Parts(DataSource database) {
            this(database, Metrics.open());
        }
    }

    private NodeGateway(NodeGatewayConfig config, NodeStore store, Metrics metrics) {
        this.config = config;
        this.store = store;
        GatewayMetrics meter = new GatewayMetrics(metrics);
        this.table = new SessionTable(System::nanoTime, meter);
        this.leadership = new Leadership(table);
        this.feedDoor = new HeartbeatFeedDoor(table);
        this.withdrawStreams = meter.show(table);
        this.inventory = new InventoryWriter(config.gatewayId(), table, store);
        this.internalHost = openInternalDoor();
        try {
            this.agentHost = openAgentDoor();
        } catch (RuntimeException e) {
            internalHost.close(); // half a gateway helps nobody
            ticker.close();
            throw e;
        }
    }

    /**
     * Brings the schema up to date, opens both doors, and says where it is.
     *
     * @throws StoreUnavailable when the database is away
     */
    public static NodeGateway start(NodeGatewayConfig config, Parts parts) {
        return start(config, PostgresNodeStore.open(parts.database()), parts.metrics());
    }

    /** The same over any store, with metrics that nobody looks at. */
    public static NodeGateway start(NodeGatewayConfig config, NodeStore store) {
        return start(config, store, Metrics.open());
    }

    private static NodeGateway start(NodeGatewayConfig config, NodeStore store, Metrics metrics) {
        NodeGateway gateway = new NodeGateway(config, store, metrics);
        try {
            gateway.begin();
        } catch (RuntimeException e) {
            gateway.close();
            throw e;
        }
        return gateway;
    }

    private void begin() {
        inventory.begin(ticker);
        sayThatItIsThere();
        ticker.every(GATEWAY_BEAT, this::sayThatItIsThere);
        LOG.info(
                "A gateway is open gatewayId={} agentDoor={} internalDoor={}",
                config.gatewayId(),
                listening(config.agentDoor(), agentHost),
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

    /** The same, when the database has been silent for so long. */
    static List<String> problems(Duration silence) {
        return silence.compareTo(LONGEST_SILENCE) <= 0
                ? List.of()
                : List.of(
                        "The database has not answered for "
                                + silence.toSeconds()
                                + " s: see whether it is up and can be reached.");
    }

    private GrpcHost openInternalDoor() {
        return GrpcHost.plan()
                .serve(
                        new NodeDirectoryDoor(
                                new NodeDirectory(
                                        config.gatewayId(),
                                        table,
                                        store,
                                        InstantSource.system(),
                                        config.idleHeartbeat())))
                .serve(new GatewayControlDoor(config.gatewayId(), table, leadership))
                .serve(feedDoor)
                .listen(
                        config.internalDoor(),
                        builder -> builder.maxInboundMessageSize(LARGEST_INTERNAL_MESSAGE));
    }

    private GrpcHost openAgentDoor() {
        HeartbeatPace pace = new HeartbeatPace(config.idleHeartbeat(), config.activeHeartbeat());
        return GrpcHost.plan()
                .through(new NodeCredentials(new CredentialBook(store)))
                .serve(new AgentDoor(table, ticker, pace))
                .listen(config.agentDoor(), NodeGateway::limit);
    }

    private static void limit(NettyServerBuilder builder) {
        builder.maxInboundMessageSize(LARGEST_AGENT_MESSAGE)
                .maxInboundMetadataSize(LARGEST_AGENT_METADATA)
                .flowControlWindow(AGENT_WINDOW)
                .maxConcurrentCallsPerConnection(AGENT_CALLS)
                // An agent whose machine is gone is noticed within 30 s.
                .keepAliveTime(20, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS);
    }

    /** The port that agents dial; -1 inside a process. */
    public int agentPort() {
        return agentHost.port();
    }

    /** The port that coordinators and evaluators dial; -1 inside a process. */
    public int internalPort() {
        return internalHost.port();
    }

    /** How others write the internal door. */
    public String advertisedAddress() {
        return config.advertisedInternalAddress().isEmpty()
                ? listening(config.internalDoor(), internalHost)
                : config.advertisedInternalAddress();
    }

    private static String listening(Address address, GrpcHost host) {
        return switch (address) {
            case Address.Tcp(String name, int _) -> new Address.Tcp(name, host.port()).toString();
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
        agentHost.close();
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
