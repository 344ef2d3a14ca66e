package drover.coordinator.peers;

import drover.agent.v1.ConfigFile;
import drover.agent.v1.ProgramReport;
import drover.coordinator.store.GatewayRegistry;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.Refusals;
import drover.model.BinaryName;
import drover.model.Digest;
import drover.model.MalformedName;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.ListDirectoryResponse;
import drover.node.v1.Node;
import drover.node.v1.NodeDirectoryServiceGrpc;
import drover.node.v1.NodeDirectoryServiceGrpc.NodeDirectoryServiceBlockingStub;
import drover.node.v1.RetireDirectoryNodeRequest;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The directory over gRPC: asks any gateway that answers; all share one table. */
public final class GrpcDirectoryLink implements DirectoryLink, AutoCloseable {
    private static final org.slf4j.Logger LOG =
            org.slf4j.LoggerFactory.getLogger(GrpcDirectoryLink.class);

    private static final int SECONDS = 10;
    private static final int PAGE = 5_000; // keeps an answer below a few megabytes

    private final GatewayRegistry registry;
    private final Map<String, ManagedChannel> channels = new ConcurrentHashMap<>();

    /** Looks gateways up in the registry at each call. */
    public GrpcDirectoryLink(GatewayRegistry registry) {
        this.registry = registry;
    }

    @Override
    public List<DirectoryNode> nodes(String chain, String type) {
        List<DirectoryNode> nodes = new ArrayList<>();
        String after = "";
        List<Node> page;
        do {
            page =
                    list(ListDirectoryRequest.newBuilder()
                                    .setChainProfileId(chain)
                                    .setNodeType(type)
                                    .setPageSize(PAGE)
                                    .setAfter(after)
                                    .build())
                            .getNodesList();
            page.forEach(node -> nodes.add(node(node)));
            after = page.isEmpty() ? after : page.getLast().getId();
        } while (page.size() == PAGE);
        return nodes;
    }

    /** Asks the first gateway that answers. */
    public ListDirectoryResponse list(ListDirectoryRequest request) {
        return ask(stub -> stub.listDirectory(request));
    }

    /**
     * Takes a node out of service: its credential is void from now on.
     *
     * @throws drover.kit.grpc.Refused when there is no such node, or its agent is connected
     */
    public Node retire(NodeId node) {
        RetireDirectoryNodeRequest request =
                RetireDirectoryNodeRequest.newBuilder().setNodeId(node.value()).build();
        return ask(stub -> stub.retireDirectoryNode(request)).getNode();
    }

    private <T> T ask(Function<NodeDirectoryServiceBlockingStub, T> question) {
        RuntimeException last =
                new PeerUnavailable("No gateway is registered", new IllegalStateException("none"));
        for (GatewayRegistry.Registered gateway : registry.gateways()) {
            try {
                return question.apply(
                        NodeDirectoryServiceGrpc.newBlockingStub(channel(gateway.address()))
                                .withMaxInboundMessageSize(Integer.MAX_VALUE)
                                .withDeadlineAfter(SECONDS, TimeUnit.SECONDS));
            } catch (StatusRuntimeException e) {
                if (Refusals.from(e).isPresent()) {
                    throw Refusals.from(e).get();
                }
                last = new PeerUnavailable("Gateway " + gateway.id() + " did not answer", e);
            }
        }
        throw last;
    }

    private ManagedChannel channel(String address) {
        return channels.computeIfAbsent(address, a -> Channels.to(Address.parse(a)));
    }

    private static DirectoryNode node(Node node) {
        Map<BinaryName, Program> programs = new HashMap<>();
        for (ProgramReport report : node.getProgramsList()) {
            try {
                programs.put(new BinaryName(report.getName()), program(report));
            } catch (MalformedName e) {
                LOG.debug(
                        "A program without a proper name can be upgraded by nobody reason={}",
                        e.getMessage());
            }
        }
        return new DirectoryNode(
                new NodeId(node.getId()),
                node.getNodeType(),
                node.getLabelsMap(),
                node.getRuntime(),
                programs);
    }

    private static Program program(ProgramReport report) {
        Map<NodePath, Digest> files = new HashMap<>();
        for (ConfigFile file : report.getConfigFilesList()) {
            files.put(new NodePath(file.getPath()), new Digest(file.getDigest()));
        }
        return new Program(
                report.getVersion().isEmpty() ? "unknown" : report.getVersion(),
                report.getRunningDigest(),
                report.getConfigDigest(),
                report.getArtifactUrl(),
                files);
    }

    @Override
    public void close() {
        channels.values().forEach(ManagedChannel::shutdownNow);
    }
}
