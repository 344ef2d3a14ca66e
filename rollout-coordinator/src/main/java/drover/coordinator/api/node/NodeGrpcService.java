package drover.coordinator.api.node;

import drover.coordinator.api.IdempotencyKeyInterceptor;
import drover.coordinator.api.PageSizeParser;
import drover.coordinator.api.RolloutIdCallHelpers;
import drover.coordinator.engine.create.RefusingFieldParser;
import drover.coordinator.engine.request.OperatorNodeRequestSubmitter;
import drover.coordinator.engine.request.RolloutRequestSubmitter.Receipt;
import drover.coordinator.peers.GrpcNodeDirectoryLink;
import drover.coordinator.peers.PeerUnavailable;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.kit.grpc.AuthorizationInterceptor;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import drover.node.v1.ClearNodeRequest;
import drover.node.v1.ClearNodeResponse;
import drover.node.v1.ExplainNodeRequest;
import drover.node.v1.ExplainNodeResponse;
import drover.node.v1.GetDesiredRequest;
import drover.node.v1.GetDesiredResponse;
import drover.node.v1.GetNodeLogRequest;
import drover.node.v1.GetNodeLogResponse;
import drover.node.v1.GetNodeRequest;
import drover.node.v1.GetNodeResponse;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.ListNodesRequest;
import drover.node.v1.ListNodesResponse;
import drover.node.v1.Node;
import drover.node.v1.NodeServiceGrpc;
import drover.node.v1.RetireNodeRequest;
import drover.node.v1.RetireNodeResponse;
import drover.node.v1.RevokeDirectoryNodeResponse;
import drover.node.v1.RevokeNodeRequest;
import drover.node.v1.RevokeNodeResponse;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Supplier;

/** Nodes for operators: the gateways' directory, with the coordinator's reasons. */
public final class NodeGrpcService extends NodeServiceGrpc.NodeServiceImplBase {
    private static final int DEFAULT_PAGE = 100;
    private static final int MOST = 1_000;

    private final GrpcNodeDirectoryLink directory;
    private final NodeQueries reading;
    private final OperatorNodeRequestSubmitter nodeRequests;

    /** A door over these. */
    public NodeGrpcService(
            GrpcNodeDirectoryLink directory,
            NodeQueries reading,
            OperatorNodeRequestSubmitter nodeRequests) {
        this.directory = directory;
        this.reading = reading;
        this.nodeRequests = nodeRequests;
    }

    @Override
    public void listNodes(ListNodesRequest request, StreamObserver<ListNodesResponse> out) {
        int size = PageSizeParser.parse("page_size", request.getPageSize(), DEFAULT_PAGE, MOST);
        List<Node> nodes =
                fetchNodes(
                        ListDirectoryRequest.newBuilder()
                                .setChainProfileId(request.getChainProfileId())
                                .setNodeType(request.getNodeType())
                                .putAllLabels(LabelFilterParser.parse(request.getLabelList()))
                                .setPageSize(size)
                                .setPageToken(parsePageToken(request))
                                .build());
        ListNodesResponse.Builder response = ListNodesResponse.newBuilder().addAllNodes(nodes);
        if (nodes.size() == size) {
            response.setNextPageToken(nodes.getLast().getId());
        }
        RolloutIdCallHelpers.respond(out, response.build());
    }

    /** A token is the id of the last node given; that node may be gone by now. */
    private static String parsePageToken(ListNodesRequest request) {
        String token = request.getPageToken();
        return token.isEmpty()
                ? ""
                : RefusingFieldParser.parse("page_token", token, NodeId::new).value();
    }

    @Override
    public void getNode(GetNodeRequest request, StreamObserver<GetNodeResponse> out) {
        RolloutIdCallHelpers.respond(
                out, GetNodeResponse.newBuilder().setNode(fetchNode(request.getNodeId())).build());
    }

    @Override
    public void explainNode(ExplainNodeRequest request, StreamObserver<ExplainNodeResponse> out) {
        Node node = fetchNode(request.getNodeId());
        RolloutIdCallHelpers.respond(out, reading.explain(node, request));
    }

    @Override
    public void getDesired(GetDesiredRequest request, StreamObserver<GetDesiredResponse> out) {
        RolloutIdCallHelpers.respond(out, reading.readDesired(fetchNode(request.getNodeId())));
    }

    @Override
    public void getNodeLog(GetNodeLogRequest request, StreamObserver<GetNodeLogResponse> out) {
        BinaryName program =
                RefusingFieldParser.parse("program", request.getProgram(), BinaryName::new);
        Node node = fetchNode(request.getNodeId());
        String text = callGateway(() -> directory.readLogTail(node, program));
        RolloutIdCallHelpers.respond(out, GetNodeLogResponse.newBuilder().setText(text).build());
    }

    @Override
    public void clearNode(ClearNodeRequest request, StreamObserver<ClearNodeResponse> out) {
        OperatorNodeRequestSubmitter.requireReason(request.getReason());
        NodeId id =
                new NodeId(fetchNode(request.getNodeId()).getId()); // refuses what does not exist
        Receipt receipt = submit(id, OperatorNodeRequest.CLEAR, request.getReason());
        RolloutIdCallHelpers.respond(
                out,
                ClearNodeResponse.newBuilder()
                        .setNode(fetchNode(id.value()))
                        .setRequest(NodeProtos.toReceipt(receipt))
                        .build());
    }

    /**
     * The credential goes first: the gateway decides in one statement that no agent is connected,
     * so that none can come back between that and the end of its attempt. Repeating it is harmless.
     */
    @Override
    public void retireNode(RetireNodeRequest request, StreamObserver<RetireNodeResponse> out) {
        OperatorNodeRequestSubmitter.requireReason(request.getReason());
        NodeId id = RefusingFieldParser.parse("node_id", request.getNodeId(), NodeId::new);
        Node node = callGateway(() -> directory.retire(id));
        Receipt receipt = submit(id, OperatorNodeRequest.RETIRE, request.getReason());
        RolloutIdCallHelpers.respond(
                out,
                RetireNodeResponse.newBuilder()
                        .setNode(NodeProtos.redact(node))
                        .setRequest(NodeProtos.toReceipt(receipt))
                        .build());
    }

    /**
     * Done first and written down afterwards: a thief is not to wait for a leader, and repeating it
     * is harmless.
     */
    @Override
    public void revokeNode(RevokeNodeRequest request, StreamObserver<RevokeNodeResponse> out) {
        OperatorNodeRequestSubmitter.requireReason(request.getReason());
        NodeId id = RefusingFieldParser.parse("node_id", request.getNodeId(), NodeId::new);
        String actor = AuthorizationInterceptor.currentActor();
        RevokeDirectoryNodeResponse ended = callGateway(() -> directory.revoke(id, actor));
        Receipt receipt =
                nodeRequests.recordDone(
                        id,
                        OperatorNodeRequest.REVOKE,
                        actor,
                        IdempotencyKeyInterceptor.currentIdempotencyKey(),
                        request.getReason());
        RolloutIdCallHelpers.respond(
                out,
                RevokeNodeResponse.newBuilder()
                        .setNode(NodeProtos.redact(ended.getNode()))
                        .setRevokedCertificates(ended.getRevokedCertificates())
                        .setRevokedJoinTokens(ended.getRevokedJoinTokens())
                        .setRequest(NodeProtos.toReceipt(receipt))
                        .build());
    }

    private Receipt submit(NodeId id, OperatorNodeRequest request, String reason) {
        return nodeRequests.submitAndAwait(
                id,
                request,
                AuthorizationInterceptor.currentActor(),
                IdempotencyKeyInterceptor.currentIdempotencyKey(),
                reason);
    }

    private static <T> T callGateway(Supplier<T> question) {
        try {
            return question.get();
        } catch (PeerUnavailable e) {
            throw unreachableRefusal();
        }
    }

    private Node fetchNode(String id) {
        NodeId node = RefusingFieldParser.parse("node_id", id, NodeId::new);
        List<Node> found =
                fetchNodes(
                        ListDirectoryRequest.newBuilder()
                                .addNodeIds(node.value())
                                .setWithProbeDetails(true)
                                .build());
        if (found.isEmpty()) {
            throw new Refused(
                    RefusalCode.NODE_NOT_FOUND,
                    "There is no node " + id + "; look at 'drover node list'.",
                    "node_id");
        }
        return found.getFirst();
    }

    private List<Node> fetchNodes(ListDirectoryRequest request) {
        try {
            List<Node> nodes =
                    directory.listWithHealth(request).stream().map(NodeProtos::redact).toList();
            return reading.withDesiredAgents(reading.withIncidentCounts(nodes));
        } catch (PeerUnavailable e) {
            throw unreachableRefusal();
        }
    }

    private static Refused unreachableRefusal() {
        return new Refused(
                RefusalCode.GATEWAY_UNAVAILABLE,
                "No gateway can be reached; try again in a moment.");
    }
}
