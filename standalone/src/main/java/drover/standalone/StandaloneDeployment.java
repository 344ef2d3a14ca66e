package drover.standalone;

import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.localenv.Await;
import drover.localenv.DataDirectory;
import drover.localenv.KeepProgramsRequestFile;
import drover.localenv.NodeDirectory;
import drover.localenv.RunningDeployment;
import drover.localenv.UserFacingError;
import drover.model.NodeId;
import drover.node.v1.Node;
import drover.standalone.ServiceFactory.CoordinatorSettings;
import drover.standalone.ServiceFactory.DatabaseHandle;
import drover.standalone.ServiceFactory.GatewaySettings;
import drover.standalone.ServiceFactory.RunningCoordinator;
import drover.standalone.ServiceFactory.RunningGateway;
import drover.standalone.StandaloneConfig.CertificateNodePorts;
import drover.standalone.demo.DemoConfigFiles;
import drover.standalone.fleet.AgentlessProgramStopper;
import drover.standalone.fleet.ManifestAndGatewayClient;
import drover.standalone.fleet.PlannedNode;
import drover.standalone.fleet.PortSavingFleetPlanner;
import drover.standalone.fleet.RecordedProgramRun;
import io.grpc.ManagedChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole deployment in one process: database, four services, and an agent with a real program for
 * each node. Closing it ends all of them. After a {@link KeepProgramsRequestFile} or a {@code kill
 * -9} programs continue to run, and the next start adopts them.
 */
public final class StandaloneDeployment implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StandaloneDeployment.class);
    private static final Duration CONNECT = Duration.ofSeconds(30); // measured 1–3 s for 12 nodes
    private static final String LOCAL = "127.0.0.1";

    // One process: the gateway writes in batches, the coordinator has one loop per rollout.
    private static final int GATEWAY_POOL = 6;
    private static final int COORDINATOR_POOL = 16;

    private final StandaloneConfig config;
    private final ServiceFactory services;
    private final Consumer<String> progress;
    private final Deque<OpenedPart> parts = new ArrayDeque<>();
    private RunningDeployment deployment;
    private int metrics;
    private CertificateNodePorts nodeEndpoints = CertificateNodePorts.FREE;
    private List<PlannedNode> nodes = List.of();
    private final Set<NodeId> leftOut = new HashSet<>();
    // Those before a start that has not succeeded yet.
    private Set<RecordedProgramRun> keptRuns = Set.of();

    /** What was opened, so that it is closed in the opposite order. */
    private record OpenedPart(String name, AutoCloseable open) {}

    private StandaloneDeployment(
            StandaloneConfig config, ServiceFactory services, Consumer<String> progress) {
        this.config = config;
        this.services = services;
        this.progress = progress;
        this.deployment = RunningDeployment.starting();
    }

    /**
     * Starts a deployment; returns when every node's agent is connected. A node that cannot start
     * is reported and left out.
     *
     * @param progress told in one line what is being done
     * @throws UserFacingError when it cannot be started; whatever was started is ended again
     */
    public static StandaloneDeployment start(StandaloneConfig config, Consumer<String> progress) {
        return start(config, new InProcessServiceFactory(System.getenv()), progress);
    }

    public static StandaloneDeployment start(
            StandaloneConfig config, ServiceFactory services, Consumer<String> progress) {
        StandaloneDeployment standalone = new StandaloneDeployment(config, services, progress);
        try {
            standalone.startAll();
            return standalone;
        } catch (RuntimeException e) {
            standalone.close();
            throw e;
        }
    }

    /** Where its doors are. */
    public RunningDeployment deployment() {
        return deployment;
    }

    /** The port of {@code /metrics}, of everything in this process. */
    public int metricsPort() {
        return metrics;
    }

    /** The ports where nodes with certificates dial, and where machines become nodes. */
    public CertificateNodePorts nodeEndpoints() {
        return nodeEndpoints;
    }

    /** Its nodes, in the order they are shown. */
    public List<PlannedNode> nodes() {
        return nodes;
    }

    private void startAll() {
        config.requireFreePorts();
        config.validateAccess();
        trackForClose("lock", config.data().createAndLock());
        KeepProgramsRequestFile.delete(config.data());
        Path configuration =
                DemoConfigFiles.resolveOrWriteConfig(config.config(), config.data().config());
        metrics = trackForClose("metrics", services.startMetrics(config)).port();
        progress.accept("Starting PostgreSQL");
        DatabaseHandle database =
                trackForClose("database", services.openDatabase(config, progress));
        progress.accept("Starting the services");
        Address manifests = inProcessAddress("manifests");
        Address internal = inProcessAddress("gateway");
        Address health = inProcessAddress("health");
        trackForClose("manifest-service", services.startManifestService(configuration, manifests));
        trackForClose("health-evaluator", services.startHealthEvaluator(health));
        RunningGateway gateway =
                trackForClose(
                        "node-gateway",
                        services.startGateway(
                                new GatewaySettings(
                                        new Address.Tcp(LOCAL, config.agentPort()),
                                        internal,
                                        config.nodeEndpoints(),
                                        config.data()),
                                database.openPool("drover-gateway", GATEWAY_POOL),
                                config.timings()));
        nodeEndpoints =
                new CertificateNodePorts(gateway.certificateAgentPort(), gateway.enrollmentPort());
        ManagedChannel toManifests = openChannel(manifests);
        ManagedChannel toGateway = openChannel(internal);
        ManifestAndGatewayClient endpoints = new ManifestAndGatewayClient(toManifests, toGateway);
        nodes =
                PortSavingFleetPlanner.planAndSavePorts(
                        config.data(),
                        configuration,
                        config.nodes(),
                        endpoints.listValidProfiles());
        progress.accept("Preparing " + nodes.size() + " nodes");
        RegisteringNodeProvisioner.ProvisioningOutcomes provisioned =
                new RegisteringNodeProvisioner(config.data(), endpoints, services).provision(nodes);
        provisioned.requireAnyReady(ownNodes());
        provisioned.failures().forEach(failure -> leaveOut(failure.node(), failure.why()));
        provisioned.missingProgramNotices().forEach(progress);
        RunningCoordinator coordinator =
                trackForClose(
                        "rollout-coordinator",
                        services.startCoordinator(
                                new CoordinatorSettings(
                                        new Address.Tcp(LOCAL, config.grpcPort()),
                                        new Address.Tcp(LOCAL, config.httpPort()),
                                        manifests,
                                        health,
                                        configuration.resolve("events.yaml"),
                                        config.data().root(),
                                        config.access(),
                                        config.retentionDays()),
                                database.openPool("drover-coordinator", COORDINATOR_POOL)));
        startAgents(gateway, endpoints);
        deployment =
                RunningDeployment.ofCurrentProcess(
                        coordinator.httpPort(),
                        coordinator.grpcPort(),
                        gateway.nodeTokenAgentPort(),
                        nodes.size() - leftOut.size(),
                        config.postgres().isEmpty());
        deployment.write(config.data().runningDeploymentFile());
        keptRuns = Set.of();
    }

    /** The nodes whose agents this process runs. */
    private List<NodeId> ownNodes() {
        return nodes.stream().filter(it -> !it.externalAgent()).map(PlannedNode::name).toList();
    }

    private void startAgents(RunningGateway gateway, ManifestAndGatewayClient endpoints) {
        progress.accept("Starting " + nodes.size() + " agents and their programs");
        stopOrphanedPrograms();
        keptRuns = AgentlessProgramStopper.listActiveRuns(config.data().existingNodes());
        // Closed after the agents, which would start the programs again.
        trackForClose("programs", this::stopPrograms);
        Address endpoint = new Address.Tcp(LOCAL, gateway.nodeTokenAgentPort());
        List<NodeId> ours = ownNodes().stream().filter(name -> !leftOut.contains(name)).toList();
        ours.forEach(node -> startAgentOrLeaveOut(node, endpoint));
        List<String> names =
                ours.stream().filter(node -> !leftOut.contains(node)).map(NodeId::value).toList();
        if (!Await.until(CONNECT, () -> listOnlineNodes(endpoints).containsAll(names))) {
            List<String> online = listOnlineNodes(endpoints);
            LOG.warn(
                    "Some agents have not connected yet nodeIds={}",
                    names.stream().filter(name -> !online.contains(name)).toList());
        }
    }

    /** An agent that cannot start, for example with damaged state, does not stop the others. */
    private void startAgentOrLeaveOut(NodeId node, Address endpoint) {
        NodeDirectory directory = config.data().node(node);
        try {
            trackForClose(
                    "agent " + node, services.startAgent(directory, endpoint, config.timings()));
        } catch (UserFacingError e) {
            LOG.error("The agent of a node cannot start nodeId={}", node, e);
            leaveOut(node, e.message());
            if (leftOut.containsAll(ownNodes())) {
                throw e;
            }
        }
    }

    private void leaveOut(NodeId node, String why) {
        leftOut.add(node);
        progress.accept(
                "Node %s is left out: %s Repair it, then stop Drover and start it again."
                        .formatted(node, why.endsWith(".") ? why : why + "."));
    }

    private static List<String> listOnlineNodes(ManifestAndGatewayClient endpoints) {
        return endpoints.listNodes().stream().filter(Node::getOnline).map(Node::getId).toList();
    }

    /**
     * A node that was taken from the list has no agent any more: its program would be an orphan.
     */
    private void stopOrphanedPrograms() {
        List<String> names = nodes.stream().map(node -> node.name().value()).toList();
        List<NodeDirectory> forgotten =
                config.data().existingNodes().stream()
                        .filter(node -> !names.contains(node.name()))
                        .toList();
        int ended = AgentlessProgramStopper.stopAllButExternal(forgotten, progress);
        if (ended > 0) {
            LOG.info("Programs of nodes that are no longer listed were ended count={}", ended);
        }
    }

    /** After a start that failed, programs that ran before it keep running. */
    private void stopPrograms() {
        List<NodeDirectory> all = config.data().existingNodes();
        if (KeepProgramsRequestFile.isForThisProcess(config.data())) {
            AgentlessProgramStopper.stopProbes();
            reportLeftRunning(all);
            return;
        }
        int stopped = AgentlessProgramStopper.stopAllButExternal(all, keptRuns, progress);
        if (keptRuns.isEmpty()) {
            progress.accept("Stopped " + AgentlessProgramStopper.describe(stopped) + ".");
        } else {
            reportLeftRunning(all);
        }
    }

    private void reportLeftRunning(List<NodeDirectory> all) {
        int left = AgentlessProgramStopper.processesOf(all).size();
        progress.accept("Left running: " + AgentlessProgramStopper.describe(left) + ".");
    }

    private Address inProcessAddress(String service) {
        return inProcessAddress(service, config.data());
    }

    /**
     * Endpoint of a service inside this process. The name is unique, because one process at a time
     * can lock a data directory. It is a digest, because a path may have any character.
     */
    public static Address inProcessAddress(String service, DataDirectory data) {
        byte[] path = data.root().toString().getBytes(StandardCharsets.UTF_8);
        return new Address.InProcess(service + "-" + UUID.nameUUIDFromBytes(path));
    }

    private ManagedChannel openChannel(Address address) {
        ManagedChannel channel = Channels.open(address);
        trackForClose("channel", channel::shutdownNow);
        return channel;
    }

    private <T extends AutoCloseable> T trackForClose(String name, T part) {
        parts.push(new OpenedPart(name, part));
        return part;
    }

    /** Ends everything, the last opened first. What fails to end does not keep the rest. */
    @Override
    public synchronized void close() {
        DataDirectory data = config.data();
        if (!parts.isEmpty() && data.isInitialized()) {
            RunningDeployment.delete(data.runningDeploymentFile());
        }
        while (!parts.isEmpty()) {
            OpenedPart part = parts.pop();
            try {
                part.open().close();
            } catch (Exception e) {
                LOG.warn("A part of the deployment did not stop cleanly part={}", part.name(), e);
            }
        }
    }
}
