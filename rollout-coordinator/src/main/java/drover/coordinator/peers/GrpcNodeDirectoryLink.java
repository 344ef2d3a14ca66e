package drover.coordinator.peers;

import drover.access.v1.JoinToken;
import drover.agent.v1.ConfigFile;
import drover.agent.v1.ProgramLog;
import drover.agent.v1.ProgramReport;
import drover.coordinator.peers.PeerUnavailable.Peer;
import drover.coordinator.store.gateway.GatewayRegistryReader;
import drover.kit.agent.AgentMessageRepairingValidator;
import drover.kit.agent.InvalidMessage;
import drover.kit.grpc.Address;
import drover.kit.grpc.ChannelFactory;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.model.Digest;
import drover.model.MalformedValue;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import drover.node.v1.CreateDirectoryJoinTokenRequest;
import drover.node.v1.CreateDirectoryJoinTokenResponse;
import drover.node.v1.JoinTokenDirectoryServiceGrpc;
import drover.node.v1.JoinTokenDirectoryServiceGrpc.JoinTokenDirectoryServiceBlockingStub;
import drover.node.v1.ListDirectoryJoinTokensRequest;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.ListDirectoryResponse;
import drover.node.v1.Node;
import drover.node.v1.NodeDirectoryServiceGrpc;
import drover.node.v1.NodeDirectoryServiceGrpc.NodeDirectoryServiceBlockingStub;
import drover.node.v1.NodeHealth;
import drover.node.v1.ProgramCondition;
import drover.node.v1.ReadDirectoryNodeLogRequest;
import drover.node.v1.RetireDirectoryNodeRequest;
import drover.node.v1.RevokeDirectoryJoinTokenRequest;
import drover.node.v1.RevokeDirectoryNodeRequest;
import drover.node.v1.RevokeDirectoryNodeResponse;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The directory over gRPC: asks any gateway that answers; all share one table. */
public final class GrpcNodeDirectoryLink implements NodeDirectoryLink, AutoCloseable {
    private static final org.slf4j.Logger LOG =
            org.slf4j.LoggerFactory.getLogger(GrpcNodeDirectoryLink.class);

    private static final int SECONDS = 10;
    private static final int MAX_LOG_MESSAGE = 256 * 1024; // bytes; a log has 32 KiB
    private static final int PAGE = 5_000; // keeps an answer below a few megabytes

    /** What one gateway refuses and the next may do: it has no authority, or lost its database. */
    private static final Set<RefusalCode> OWN_REASONS =
            Set.of(RefusalCode.ENROLLMENT_CLOSED, RefusalCode.STORE_UNAVAILABLE);

    private final GatewayRegistryReader registry;
    private final ChannelFactory channelFactory;
    private final Map<String, ManagedChannel> channels = new ConcurrentHashMap<>();

    /** Looks gateways up in the registry at each call. */
    public GrpcNodeDirectoryLink(GatewayRegistryReader registry, ChannelFactory channelFactory) {
        this.registry = registry;
        this.channelFactory = channelFactory;
    }

    @Override
    public List<DirectoryNode> listNodes(String chain, String type) {
        return listAllPages(chain, type).stream()
                .map(GrpcNodeDirectoryLink::toDirectoryNode)
                .toList();
    }

    @Override
    public Set<NodeId> listOfflineNodes(String chain, String type) {
        return listAllPages(chain, type).stream()
                .filter(node -> !node.getOnline())
                .map(node -> new NodeId(node.getId()))
                .collect(Collectors.toSet());
    }

    private List<Node> listAllPages(String chain, String type) {
        List<Node> nodes = new ArrayList<>();
        String after = "";
        List<Node> page;
        do {
            page =
                    list(ListDirectoryRequest.newBuilder()
                                    .setChainProfileId(chain)
                                    .setNodeType(type)
                                    .setPageSize(PAGE)
                                    .setPageToken(after)
                                    .build())
                            .getNodesList();
            nodes.addAll(page);
            after = page.isEmpty() ? after : page.getLast().getId();
        } while (page.size() == PAGE);
        return nodes;
    }

    /** Asks the first gateway that answers. */
    public ListDirectoryResponse list(ListDirectoryRequest request) {
        return request(stub -> stub.listDirectory(request));
    }

    /**
     * Takes a node out of service: its credential is void from now on.
     *
     * @throws drover.kit.grpc.Refused when there is no such node, or its agent is connected
     */
    public Node retire(NodeId node) {
        RetireDirectoryNodeRequest request =
                RetireDirectoryNodeRequest.newBuilder().setNodeId(node.value()).build();
        return request(stub -> stub.retireDirectoryNode(request)).getNode();
    }

    /**
     * Ends whatever proves a node, at once and everywhere.
     *
     * @param by a principal
     * @throws drover.kit.grpc.Refused when there is no such node
     */
    public RevokeDirectoryNodeResponse revoke(NodeId node, String by) {
        RevokeDirectoryNodeRequest request =
                RevokeDirectoryNodeRequest.newBuilder()
                        .setNodeId(node.value())
                        .setRevokedBy(by)
                        .build();
        return request(stub -> stub.revokeDirectoryNode(request));
    }

    /**
     * Reads the end of a program's output, at the gateway that holds the node's session. The agent
     * may have moved to another gateway a moment ago, so the others are tried as well.
     *
     * @throws drover.kit.grpc.Refused if no gateway holds a session of the node, or its agent does
     *     not return the output
     * @throws PeerUnavailable if a gateway does not respond and no other has the node
     */
    public String readLogTail(Node node, BinaryName program) {
        ReadDirectoryNodeLogRequest request =
                ReadDirectoryNodeLogRequest.newBuilder()
                        .setNodeId(node.getId())
                        .setProgram(program.value())
                        .build();
        Optional<PeerUnavailable> withoutResponse = Optional.empty();
        for (GatewayRegistryReader.RegisteredGateway gateway : ownGatewayFirst(node)) {
            try {
                return validateAndRepairLog(readLogTail(gateway, request));
            } catch (StatusRuntimeException e) {
                if (!isNodeOfflineOrThrow(e)) {
                    withoutResponse =
                            Optional.of(gatewayUnavailable(gateway, "did not respond", e));
                }
            } catch (InvalidMessage e) {
                withoutResponse = Optional.of(gatewayUnavailable(gateway, "sent no valid log", e));
            }
        }
        throw withoutResponse.<RuntimeException>map(it -> it).orElseGet(() -> nodeOffline(node));
    }

    private static PeerUnavailable gatewayUnavailable(
            GatewayRegistryReader.RegisteredGateway gateway, String what, Exception cause) {
        return new PeerUnavailable(Peer.GATEWAY, "Gateway " + gateway.id() + " " + what, cause);
    }

    private static Refused nodeOffline(Node node) {
        return new Refused(
                RefusalCode.NODE_OFFLINE,
                "The agent of node %s is not connected; start it, or read the log on the node."
                        .formatted(node.getId()),
                "node_id");
    }

    private List<GatewayRegistryReader.RegisteredGateway> ownGatewayFirst(Node node) {
        return registry.listRecentGateways().stream()
                .sorted(Comparator.comparing(gateway -> !gateway.id().equals(node.getGatewayId())))
                .toList();
    }

    private String readLogTail(
            GatewayRegistryReader.RegisteredGateway gateway, ReadDirectoryNodeLogRequest request) {
        return stub(gateway)
                .withMaxInboundMessageSize(MAX_LOG_MESSAGE)
                .readDirectoryNodeLog(request)
                .getText();
    }

    /** Gateways are not trusted with what reaches an operator's terminal (J2). */
    private static String validateAndRepairLog(String text) {
        ProgramLog log = ProgramLog.newBuilder().setText(text).build();
        return AgentMessageRepairingValidator.validateAndRepair(log).message().getText();
    }

    /**
     * Whether the gateway responded that it holds no session of the node; false if it did not
     * respond.
     *
     * @throws Refused if another gateway cannot help
     */
    private static boolean isNodeOfflineOrThrow(StatusRuntimeException e) {
        Optional<Refused> refused = RefusalParser.from(e);
        if (refused.filter(it -> it.code() != RefusalCode.NODE_OFFLINE).isPresent()) {
            throw refused.get();
        }
        return refused.isPresent();
    }

    /**
     * Makes a join token, at a gateway that has an authority.
     *
     * @throws drover.kit.grpc.Refused when the wish is not good, or no gateway has one
     */
    public CreateDirectoryJoinTokenResponse createJoinToken(
            CreateDirectoryJoinTokenRequest request) {
        return requestTokens(stub -> stub.createDirectoryJoinToken(request));
    }

    /** Join tokens that were made lately, newest first. */
    public List<JoinToken> listRecentJoinTokens() {
        ListDirectoryJoinTokensRequest request =
                ListDirectoryJoinTokensRequest.getDefaultInstance();
        return requestTokens(stub -> stub.listDirectoryJoinTokens(request)).getTokensList();
    }

    /**
     * Ends a join token.
     *
     * @throws drover.kit.grpc.Refused when there is none with this id
     */
    public JoinToken revokeJoinToken(String id, String by) {
        RevokeDirectoryJoinTokenRequest request =
                RevokeDirectoryJoinTokenRequest.newBuilder()
                        .setTokenId(id)
                        .setRevokedBy(by)
                        .build();
        return requestTokens(stub -> stub.revokeDirectoryJoinToken(request)).getToken();
    }

    private <T> T requestTokens(Function<JoinTokenDirectoryServiceBlockingStub, T> question) {
        return requestAny(
                gateway ->
                        question.apply(
                                JoinTokenDirectoryServiceGrpc.newBlockingStub(
                                                channel(gateway.address()))
                                        .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)));
    }

    private <T> T request(Function<NodeDirectoryServiceBlockingStub, T> question) {
        return requestAny(gateway -> question.apply(stub(gateway)));
    }

    private <T> T requestAny(Function<GatewayRegistryReader.RegisteredGateway, T> question) {
        RuntimeException last =
                new PeerUnavailable(
                        Peer.GATEWAY,
                        "No gateway is registered",
                        new IllegalStateException("none"));
        for (GatewayRegistryReader.RegisteredGateway gateway : registry.listRecentGateways()) {
            try {
                return question.apply(gateway);
            } catch (StatusRuntimeException e) {
                last = toExceptionOrThrow(e, gateway);
            }
        }
        throw last;
    }

    /**
     * Why this gateway did not do it; another one may.
     *
     * @throws Refused when every other would say the same
     */
    private static RuntimeException toExceptionOrThrow(
            StatusRuntimeException e, GatewayRegistryReader.RegisteredGateway gateway) {
        Optional<Refused> refused = RefusalParser.from(e);
        if (refused.isEmpty()) {
            return new PeerUnavailable(
                    Peer.GATEWAY, "Gateway " + gateway.id() + " did not answer", e);
        }
        if (!OWN_REASONS.contains(refused.get().code())) {
            throw refused.get();
        }
        return refused.get();
    }

    /**
     * The same, each connected node as its own gateway says: heartbeats stay with the gateway that
     * holds the session. What such a gateway does not answer stays as the first one said.
     */
    public List<Node> listWithHealth(ListDirectoryRequest request) {
        List<Node> nodes = list(request).getNodesList();
        Map<String, Node> better = new HashMap<>();
        for (GatewayRegistryReader.RegisteredGateway gateway : registry.listRecentGateways()) {
            List<String> held =
                    nodes.stream()
                            .filter(node -> node.getGatewayId().equals(gateway.id()))
                            .filter(node -> node.getHealth() == NodeHealth.NODE_HEALTH_UNKNOWN)
                            .map(Node::getId)
                            .toList();
            listFromGatewayOrEmpty(gateway, held, request.getWithProbeDetails())
                    .forEach(node -> better.put(node.getId(), node));
        }
        return nodes.stream().map(node -> better.getOrDefault(node.getId(), node)).toList();
    }

    @Override
    public List<UnhealthyNode> listUnhealthyNodes(String chain, BinaryName program) {
        ListDirectoryRequest request =
                ListDirectoryRequest.newBuilder().setChainProfileId(chain).build();
        return listWithHealth(request).stream()
                .flatMap(
                        node ->
                                node.getConditionsList().stream()
                                        .filter(one -> one.getProgram().equals(program.value()))
                                        .filter(one -> isNotHealthy(one.getHealth()))
                                        .map(one -> toUnhealthyNode(node, one)))
                .toList();
    }

    private static UnhealthyNode toUnhealthyNode(Node node, ProgramCondition condition) {
        return new UnhealthyNode(
                new NodeId(node.getId()),
                GatewayProtoDispatcher.toLevel(condition.getHealth()),
                condition.getDetail());
    }

    private static boolean isNotHealthy(NodeHealth health) {
        return switch (GatewayProtoDispatcher.toLevel(health)) {
            case CRITICAL, DOWN, CRASH_LOOP, UNKNOWN -> true;
            case HEALTHY, DEGRADED -> false;
        };
    }

    private List<Node> listFromGatewayOrEmpty(
            GatewayRegistryReader.RegisteredGateway gateway,
            List<String> ids,
            boolean withProbeDetails) {
        if (ids.isEmpty()) {
            return List.of();
        }
        try {
            return stub(gateway)
                    .listDirectory(
                            ListDirectoryRequest.newBuilder()
                                    .addAllNodeIds(ids)
                                    .setWithProbeDetails(withProbeDetails)
                                    .build())
                    .getNodesList();
        } catch (StatusRuntimeException e) {
            LOG.debug(
                    "A gateway did not say how its nodes are gatewayId={} reason={}",
                    gateway.id(),
                    e.getMessage());
            return List.of();
        }
    }

    private NodeDirectoryServiceBlockingStub stub(GatewayRegistryReader.RegisteredGateway gateway) {
        return NodeDirectoryServiceGrpc.newBlockingStub(channel(gateway.address()))
                .withMaxInboundMessageSize(Integer.MAX_VALUE)
                .withDeadlineAfter(SECONDS, TimeUnit.SECONDS);
    }

    private ManagedChannel channel(String address) {
        return channels.computeIfAbsent(address, a -> channelFactory.open(Address.parse(a)));
    }

    private static DirectoryNode toDirectoryNode(Node node) {
        Map<BinaryName, Program> programs = new HashMap<>();
        for (ProgramReport report : node.getProgramsList()) {
            try {
                programs.put(new BinaryName(report.getName()), toProgram(report));
            } catch (MalformedValue e) {
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
                programs,
                node.getPlatform(),
                Set.copyOf(node.getFeaturesList()),
                node.hasLastSeenAt() ? ActionReportProtos.toInstant(node.getLastSeenAt()) : null,
                lastGateway(node));
    }

    /** A gateway of an earlier version names only the one that is alive. */
    private static String lastGateway(Node node) {
        return node.getLastGatewayId().isEmpty() ? node.getGatewayId() : node.getLastGatewayId();
    }

    private static Program toProgram(ProgramReport report) {
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
