package drover.system.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.gateway.NodeGateway;
import drover.gateway.NodeGatewayConfig;
import drover.gateway.session.NodeIdentity;
import drover.gateway.store.InMemoryCredentialStore;
import drover.gateway.store.InMemoryNodeStore;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.NodeType;
import drover.model.program.BinaryName;
import drover.model.program.LaunchSpec;
import drover.model.program.ProgramDigestSource;
import drover.model.program.ProgramSpec;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.Node;
import drover.node.v1.NodeDirectoryServiceGrpc;
import drover.opsagent.adopt.InitialProgramInstallation;
import drover.opsagent.adopt.InitialProgramInstaller;
import drover.opsagent.adopt.StateDirectoryAndRoot;
import drover.opsagent.disk.FileAttributes;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.main.OpsAgent;
import drover.opsagent.main.OpsAgentConfig;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.runtime.process.SimulatedProcesses;
import drover.opsagent.time.SystemTicker;
import drover.system.fixture.Waits;
import io.grpc.ManagedChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Two gateways over one memory, and agents that know both, all in this process. */
class SeveralGatewaysTest {
    private static final int AGENTS = 8;
    private static final Duration SOON = Waits.LIMIT;
    private static final byte[] PROGRAM = "program".getBytes(StandardCharsets.UTF_8);
    private static final StateDirectoryAndRoot LAYOUT =
            new StateDirectoryAndRoot(Path.of("/state"), Path.of("/node"));
    private static final SimulatedFetcher ARTIFACTS =
            new SimulatedFetcher(Map.of("http://artifacts.example/app", PROGRAM));

    private final String run = UUID.randomUUID().toString();
    private final InMemoryNodeStore store = new InMemoryNodeStore(InstantSource.system());
    private final InMemoryCredentialStore identities =
            new InMemoryCredentialStore(store, InstantSource.system());
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final Deque<NodeGateway> gateways = new ArrayDeque<>();

    @BeforeEach
    void start() {
        gateways.add(gateway("first"));
        gateways.add(gateway("second"));
        IntStream.range(0, AGENTS).forEach(this::agent);
        await().atMost(SOON).until(() -> at("first") + at("second") == AGENTS);
    }

    @AfterEach
    void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
        gateways.forEach(NodeGateway::close);
    }

    @Test
    @DisplayName("I1, C13: a gateway that ends hands all its agents to the other one, at once")
    void anEndingGatewaysAgentsGoToTheOtherOne() {
        long before = at("first");
        assertThat(before).as("drawn by lot").isPositive().isLessThan(AGENTS);

        gateways.removeFirst().close();
        await().atMost(Waits.LIMIT).until(() -> at("second") == AGENTS);

        gateways.add(gateway("first"));
        gateways.removeFirst().close();
        await().atMost(Waits.LIMIT).until(() -> at("first") == AGENTS);
        assertThat(store.listLiveGateways()).containsOnlyKeys("first");
    }

    private NodeGateway gateway(String id) {
        return NodeGateway.start(
                NodeGatewayConfig.of(id, agents(id), internal(id), internal(id).toString()),
                store,
                identities,
                identities);
    }

    private Address agents(String gateway) {
        return new Address.InProcess(gateway + "-agents-" + run);
    }

    private Address internal(String gateway) {
        return new Address.InProcess(gateway + "-internal-" + run);
    }

    /** How many nodes a gateway says it has itself. */
    private long at(String gateway) {
        ManagedChannel channel = Channels.open(internal(gateway));
        try {
            return NodeDirectoryServiceGrpc.newBlockingStub(channel)
                    .listDirectory(ListDirectoryRequest.getDefaultInstance())
                    .getNodesList()
                    .stream()
                    .filter(Node::getOnline)
                    .filter(node -> node.getGatewayId().equals(gateway))
                    .count();
        } finally {
            channel.shutdownNow();
        }
    }

    private void agent(int number) {
        String token = "token-" + number;
        store.register(
                new NodeIdentity(
                        new NodeId("node-" + number),
                        new ChainProfileId("harbour"),
                        new NodeType("edge"),
                        Map.of()),
                Digest.of(token));
        SimulatedDisk disk = new SimulatedDisk();
        disk.putDurableFile(Path.of("/state/keep"), PROGRAM, FileAttributes.PRIVATE);
        disk.putDurableFile(Path.of("/node/keep"), PROGRAM, FileAttributes.PRIVATE);
        SimulatedProcesses processes =
                new SimulatedProcesses(
                        disk, new SystemTicker(), _ -> SimulatedProcesses.ProgramBehavior.RUNS);
        install(disk, processes);
        open.push(
                OpsAgent.start(
                        OpsAgentConfig.forRuntime(
                                "simulated",
                                LAYOUT.stateDirectory(),
                                LAYOUT.root(),
                                GatewayAddress.parseAll(
                                        List.of(agents("first") + "," + agents("second"))),
                                token),
                        OpsAgent.Dependencies.simulated(
                                disk, processes, ARTIFACTS, new Random(number))));
    }

    private static void install(SimulatedDisk disk, SimulatedProcesses processes) {
        LaunchSpec launch =
                new LaunchSpec(
                        new NodePath("/bin/app"),
                        "",
                        List.of(),
                        Map.of(),
                        "",
                        ProgramDigestSource.EXE);
        ProgramSpec spec = new ProgramSpec(new BinaryName("app"), "simulated", launch, List.of());
        InitialProgramInstaller.installSimulated(
                LAYOUT,
                List.of(
                        new InitialProgramInstallation(
                                spec,
                                "v1",
                                "http://artifacts.example/app",
                                Digest.of(PROGRAM),
                                Map.of())),
                disk,
                new Random(1),
                ARTIFACTS,
                processes,
                new SystemTicker());
    }
}
