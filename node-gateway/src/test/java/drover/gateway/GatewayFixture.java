package drover.gateway;

import drover.gateway.store.InMemoryCredentialStore;
import drover.gateway.store.InMemoryNodeStore;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.EndpointLimits;
import drover.model.Digest;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.Node;
import drover.node.v1.NodeDirectoryServiceGrpc;
import drover.node.v1.RegisterNodeRequest;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** A gateway over a store in memory, with a channel to each door. */
public final class GatewayFixture implements AutoCloseable {
    final NodeGateway gateway;
    public final ManagedChannel agents;
    private final List<ManagedChannel> more = new ArrayList<>();
    private final List<ManagedChannel> narrows = new ArrayList<>();
    private final Address agentEndpoint;
    public final ManagedChannel internal;

    private GatewayFixture(NodeGateway gateway, Address agentEndpoint, Address internalEndpoint) {
        this.gateway = gateway;
        this.agentEndpoint = agentEndpoint;
        this.agents = Channels.open(agentEndpoint);
        this.internal = Channels.open(internalEndpoint);
    }

    public static GatewayFixture inProcess(String name) {
        return inProcess(name, EndpointLimits.AGENTS);
    }

    static GatewayFixture inProcess(String name, EndpointLimits limits) {
        return open(
                new Address.InProcess(name + "-agents"),
                new Address.InProcess(name + "-internal"),
                limits);
    }

    static GatewayFixture onLoopback() {
        return onLoopback(EndpointLimits.AGENTS);
    }

    static GatewayFixture onLoopback(EndpointLimits limits) {
        return open(new Address.Tcp("127.0.0.1", 0), new Address.Tcp("127.0.0.1", 0), limits);
    }

    private static GatewayFixture open(
            Address agentEndpoint, Address internalEndpoint, EndpointLimits limits) {
        InMemoryNodeStore nodes = new InMemoryNodeStore(InstantSource.system());
        InMemoryCredentialStore both = new InMemoryCredentialStore(nodes, InstantSource.system());
        NodeGateway gateway =
                NodeGateway.start(
                        new NodeGatewayConfig(
                                "gateway-1",
                                agentEndpoint,
                                internalEndpoint,
                                "",
                                Duration.ofSeconds(30),
                                Duration.ofSeconds(5),
                                limits),
                        nodes,
                        both,
                        both);
        return new GatewayFixture(
                gateway,
                at(agentEndpoint, gateway.agentPort()),
                at(internalEndpoint, gateway.internalPort()));
    }

    private static Address at(Address address, int port) {
        return switch (address) {
            case Address.Tcp(String host, int _) -> new Address.Tcp(host, port);
            case Address.InProcess inProcess -> inProcess;
        };
    }

    int agentPort() {
        return gateway.agentPort();
    }

    public static String token(String node) {
        return "token-of-" + node;
    }

    public void register(String node) {
        var _ = directory().registerNode(registration(node).build());
    }

    public static RegisterNodeRequest.Builder registration(String node) {
        return RegisterNodeRequest.newBuilder()
                .setNodeId(node)
                .setChainProfileId("testchain")
                .setNodeType("full")
                .putLabels("zone", "a")
                .setTokenSha256(Digest.of(token(node)).value());
    }

    public NodeDirectoryServiceGrpc.NodeDirectoryServiceBlockingStub directory() {
        return NodeDirectoryServiceGrpc.newBlockingStub(internal);
    }

    public List<Node> nodes() {
        return directory().listDirectory(ListDirectoryRequest.getDefaultInstance()).getNodesList();
    }

    public Node node(String id) {
        return nodes().stream().filter(n -> n.getId().equals(id)).findFirst().orElseThrow();
    }

    /** Registers a node and connects its agent. */
    public TestAgent connected(String node) {
        register(node);
        TestAgent agent = TestAgent.connect(agents, token(node)).send(TestAgent.hello(1, 1));
        var _ = agent.session();
        return agent;
    }

    /** A channel whose agents take in 64 KiB that they have not read; gRPC's own take in 1 MiB. */
    ManagedChannel narrowChannel() {
        ManagedChannel narrow =
                switch (agentEndpoint) {
                    case Address.InProcess _ -> Channels.open(agentEndpoint);
                    case Address.Tcp(String host, int port) ->
                            NettyChannelBuilder.forAddress(host, port)
                                    .usePlaintext()
                                    .flowControlWindow(64 * 1024)
                                    .build();
                };
        narrows.add(narrow);
        return narrow;
    }

    /** A channel that few enough agents share: the door takes four calls on a connection. */
    ManagedChannel channelForAgents(int index) {
        while (more.size() <= index / 3) {
            more.add(Channels.open(agentEndpoint));
        }
        return more.get(index / 3);
    }

    @Override
    public void close() {
        more.forEach(ManagedChannel::shutdownNow);
        narrows.forEach(ManagedChannel::shutdownNow);
        agents.shutdownNow();
        internal.shutdownNow();
        gateway.close();
    }
}
