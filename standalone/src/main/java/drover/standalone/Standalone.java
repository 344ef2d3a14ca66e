package drover.standalone;

import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.machine.home.DataDirectory;
import drover.machine.home.NodeDirectory;
import drover.machine.home.Patience;
import drover.machine.home.RunningMesh;
import drover.machine.home.Unusable;
import drover.node.v1.Node;
import drover.standalone.Services.Coordinator;
import drover.standalone.Services.CoordinatorDoors;
import drover.standalone.Services.Gateway;
import drover.standalone.Services.GatewayDoors;
import drover.standalone.Services.Store;
import drover.standalone.StandaloneConfig.NodeDoors;
import drover.standalone.demo.DemoConfig;
import drover.standalone.fleet.FleetDoors;
import drover.standalone.fleet.FleetPlan;
import drover.standalone.fleet.PlannedNode;
import drover.standalone.fleet.Programs;
import io.grpc.ManagedChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The whole mesh in one process: database, four services, and an agent with a real program for each
 * node. Closing it ends all of them; after a {@code kill -9} the programs live on and the next
 * start adopts them.
 */
public final class Standalone implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Standalone.class);
    private static final Duration CONNECT = Duration.ofSeconds(30); // measured 1–3 s for 12 nodes
    private static final String LOCAL = "127.0.0.1";

    // One process: the gateway writes in batches, the coordinator has one loop per rollout.
    private static final int GATEWAY_POOL = 6;
    private static final int COORDINATOR_POOL = 16;

    private final StandaloneConfig config;
    private final Services services;
    private final Consumer<String> progress;
    private final Deque<Part> parts = new ArrayDeque<>();
    private RunningMesh mesh;
    private int metrics;
    private NodeDoors nodeDoors = NodeDoors.FREE;
    private List<PlannedNode> nodes = List.of();

    /** What was opened, so that it is closed in the opposite order. */
    private record Part(String name, AutoCloseable open) {}

    private Standalone(StandaloneConfig config, Services services, Consumer<String> progress) {
        this.config = config;
        this.services = services;
        this.progress = progress;
        this.mesh = RunningMesh.starting();
    }

    /**
     * Starts a mesh; returns when every node's agent is connected.
     *
     * @param progress told in one line what is being done
     * @throws Unusable when it cannot be started; whatever was started is ended again
     */
    public static Standalone start(StandaloneConfig config, Consumer<String> progress) {
        return start(config, new Assembly(System.getenv()), progress);
    }

    static Standalone start(StandaloneConfig config, Services services, Consumer<String> progress) {
        Standalone standalone = new Standalone(config, services, progress);
        try {
            standalone.open();
            return standalone;
        } catch (RuntimeException e) {
            standalone.close();
            throw e;
        }
    }

    /** Where its doors are. */
    public RunningMesh mesh() {
        return mesh;
    }

    /** The port of {@code /metrics}, of everything in this process. */
    public int metricsPort() {
        return metrics;
    }

    /** The ports where nodes with certificates dial, and where machines become nodes. */
    public NodeDoors nodeDoors() {
        return nodeDoors;
    }

    /** Its nodes, in the order they are shown. */
    public List<PlannedNode> nodes() {
        return nodes;
    }

    private void open() {
        config.requireFreePorts();
        config.requireSense();
        opened("lock", config.data().occupy());
        Path configuration = DemoConfig.unlessNamed(config.config(), config.data().config());
        metrics = opened("metrics", services.metrics(config)).port();
        progress.accept("Starting PostgreSQL");
        Store database = opened("database", services.database(config));
        progress.accept("Starting the services");
        Address manifests = inside("manifests");
        Address internal = inside("gateway");
        Address health = inside("health");
        opened("manifest-service", services.manifests(configuration, manifests));
        opened("health-evaluator", services.health(health));
        Gateway gateway =
                opened(
                        "node-gateway",
                        services.gateway(
                                new GatewayDoors(
                                        new Address.Tcp(LOCAL, config.agentPort()),
                                        internal,
                                        config.nodeDoors(),
                                        config.data()),
                                database.pool("drover-gateway", GATEWAY_POOL),
                                config.pace()));
        nodeDoors = new NodeDoors(gateway.certificatePort(), gateway.enrolmentPort());
        ManagedChannel toManifests = channel(manifests);
        ManagedChannel toGateway = channel(internal);
        FleetDoors doors = new FleetDoors(toManifests, toGateway);
        nodes = FleetPlan.make(config.data(), configuration, config.nodes(), doors.profiles());
        progress.accept("Preparing " + nodes.size() + " nodes");
        new NodePreparation(config.data(), doors, services).prepare(nodes).requireAll();
        Coordinator coordinator =
                opened(
                        "rollout-coordinator",
                        services.coordinator(
                                new CoordinatorDoors(
                                        new Address.Tcp(LOCAL, config.grpcPort()),
                                        new Address.Tcp(LOCAL, config.httpPort()),
                                        manifests,
                                        health,
                                        configuration.resolve("events.yaml"),
                                        config.data().root(),
                                        config.access(),
                                        config.keepDays()),
                                database.pool("drover-coordinator", COORDINATOR_POOL)));
        startAgents(gateway, doors);
        mesh =
                RunningMesh.of(
                        coordinator.httpPort(),
                        coordinator.grpcPort(),
                        gateway.agentPort(),
                        nodes.size());
        mesh.write(config.data().mesh());
    }

    private void startAgents(Gateway gateway, FleetDoors doors) {
        progress.accept("Starting " + nodes.size() + " agents and their programs");
        // Closed after the agents, which would start the programs again.
        opened("programs", this::endPrograms);
        endForgottenPrograms();
        Address door = new Address.Tcp(LOCAL, gateway.agentPort());
        List<PlannedNode> ours = nodes.stream().filter(it -> !it.externalAgent()).toList();
        for (PlannedNode node : ours) {
            NodeDirectory directory = config.data().node(node.name());
            opened("agent " + node.name(), services.agent(directory, door, config.pace()));
        }
        List<String> names = ours.stream().map(node -> node.name().value()).toList();
        if (!Patience.await(CONNECT, () -> online(doors).containsAll(names))) {
            List<String> online = online(doors);
            LOG.warn(
                    "Some agents have not connected yet nodeIds={}",
                    names.stream().filter(name -> !online.contains(name)).toList());
        }
    }

    private static List<String> online(FleetDoors doors) {
        return doors.nodes().stream().filter(Node::getOnline).map(Node::getId).toList();
    }

    /**
     * A node that was taken from the list has no agent any more: its program would be an orphan.
     */
    private void endForgottenPrograms() {
        List<String> names = nodes.stream().map(node -> node.name().value()).toList();
        List<NodeDirectory> forgotten =
                config.data().existingNodes().stream()
                        .filter(node -> !names.contains(node.name()))
                        .toList();
        int ended = Programs.end(forgotten);
        if (ended > 0) {
            LOG.info("Programs of nodes that are no longer listed were ended count={}", ended);
        }
    }

    private void endPrograms() {
        Programs.end(config.data().existingNodes());
    }

    private Address inside(String service) {
        return new Address.InProcess(service + "@" + config.data().root()); // one lock, one name
    }

    private ManagedChannel channel(Address address) {
        ManagedChannel channel = Channels.open(address);
        opened("channel", channel::shutdownNow);
        return channel;
    }

    private <T extends AutoCloseable> T opened(String name, T part) {
        parts.push(new Part(name, part));
        return part;
    }

    /** Ends everything, the last opened first. What fails to end does not keep the rest. */
    @Override
    public synchronized void close() {
        DataDirectory data = config.data();
        if (!parts.isEmpty() && data.exists()) {
            RunningMesh.forget(data.mesh());
        }
        while (!parts.isEmpty()) {
            Part part = parts.pop();
            try {
                part.open().close();
            } catch (Exception e) {
                LOG.warn("A part of the mesh did not end properly part={}", part.name(), e);
            }
        }
    }
}
