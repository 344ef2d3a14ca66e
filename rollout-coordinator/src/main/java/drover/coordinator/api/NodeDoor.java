package drover.coordinator.api;

import drover.coordinator.engine.Fields;
import drover.coordinator.engine.NodeRequestDesk;
import drover.coordinator.engine.RequestDesk.Receipt;
import drover.coordinator.peers.GrpcDirectoryLink;
import drover.coordinator.peers.PeerUnavailable;
import drover.coordinator.plan.NodeRequest;
import drover.kit.grpc.PrincipalInterceptor;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.node.v1.ClearNodeRequest;
import drover.node.v1.ClearNodeResponse;
import drover.node.v1.ExplainNodeRequest;
import drover.node.v1.ExplainNodeResponse;
import drover.node.v1.GetDesiredRequest;
import drover.node.v1.GetDesiredResponse;
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
public final class NodeDoor extends NodeServiceGrpc.NodeServiceImplBase {
    private static final int DEFAULT_PAGE = 100;
    private static final int MOST = 1_000;

    private final GrpcDirectoryLink directory;
    private final NodeReading reading;
    private final NodeRequestDesk desk;

    /** A door over these. */
    public NodeDoor(GrpcDirectoryLink directory, NodeReading reading, NodeRequestDesk desk) {
        this.directory = directory;
        this.reading = reading;
        this.desk = desk;
    }

    @Override
    public void listNodes(ListNodesRequest request, StreamObserver<ListNodesResponse> out) {
        if (request.getPageSize() < 0 || request.getPageSize() > MOST) {
            throw new Refused(
                    RefusalCode.INVALID_FIELD, "page_size is 1 to " + MOST + ".", "page_size");
        }
        int size = request.getPageSize() == 0 ? DEFAULT_PAGE : request.getPageSize();
        List<Node> nodes =
                list(
                        ListDirectoryRequest.newBuilder()
                                .setChainProfileId(request.getChainProfileId())
                                .setNodeType(request.getNodeType())
                                .putAllLabels(LabelFilter.parse(request.getLabelList()))
                                .setPageSize(size)
                                .setAfter(after(request))
                                .build());
        ListNodesResponse.Builder response = ListNodesResponse.newBuilder().addAllNodes(nodes);
        if (nodes.size() == size) {
            response.setNextPageToken(nodes.getLast().getId());
        }
        GrpcCalls.respond(out, response.build());
    }

    /** A token is the id of the last node given; that node may be gone by now. */
    private static String after(ListNodesRequest request) {
        String token = request.getPageToken();
        return token.isEmpty() ? "" : Fields.parse("page_token", token, NodeId::new).value();
    }

    @Override
    public void getNode(GetNodeRequest request, StreamObserver<GetNodeResponse> out) {
        GrpcCalls.respond(
                out, GetNodeResponse.newBuilder().setNode(node(request.getNodeId())).build());
    }

    @Override
    public void explainNode(ExplainNodeRequest request, StreamObserver<ExplainNodeResponse> out) {
        Node node = node(request.getNodeId());
        GrpcCalls.respond(out, reading.explain(node, request));
    }

    @Override
    public void getDesired(GetDesiredRequest request, StreamObserver<GetDesiredResponse> out) {
        GrpcCalls.respond(out, reading.desired(node(request.getNodeId())));
    }

    @Override
    public void clearNode(ClearNodeRequest request, StreamObserver<ClearNodeResponse> out) {
        NodeRequestDesk.requireReason(request.getReason());
        NodeId id = new NodeId(node(request.getNodeId()).getId()); // refuses what does not exist
        Receipt receipt = ask(id, NodeRequest.CLEAR, request.getReason());
        GrpcCalls.respond(
                out,
                ClearNodeResponse.newBuilder()
                        .setNode(node(id.value()))
                        .setRequest(NodeProtos.receipt(receipt))
                        .build());
    }

    /**
     * The credential goes first: the gateway decides in one statement that no agent is connected,
     * so that none can come back between that and the end of its attempt. Repeating it is harmless.
     */
    @Override
    public void retireNode(RetireNodeRequest request, StreamObserver<RetireNodeResponse> out) {
        NodeRequestDesk.requireReason(request.getReason());
        NodeId id = Fields.parse("node_id", request.getNodeId(), NodeId::new);
        Node node = asking(() -> directory.retire(id));
        Receipt receipt = ask(id, NodeRequest.RETIRE, request.getReason());
        GrpcCalls.respond(
                out,
                RetireNodeResponse.newBuilder()
                        .setNode(node)
                        .setRequest(NodeProtos.receipt(receipt))
                        .build());
    }

    /**
     * Done first and written down afterwards: a thief is not to wait for a leader, and repeating it
     * is harmless.
     */
    @Override
    public void revokeNode(RevokeNodeRequest request, StreamObserver<RevokeNodeResponse> out) {
        NodeRequestDesk.requireReason(request.getReason());
        NodeId id = Fields.parse("node_id", request.getNodeId(), NodeId::new);
        String actor = PrincipalInterceptor.current();
        RevokeDirectoryNodeResponse ended = asking(() -> directory.revoke(id, actor));
        Receipt receipt =
                desk.record(
                        id,
                        NodeRequest.REVOKE,
                        actor,
                        Callers.idempotencyKey(),
                        request.getReason());
        GrpcCalls.respond(
                out,
                RevokeNodeResponse.newBuilder()
                        .setNode(ended.getNode())
                        .setEndedCertificates(ended.getEndedCertificates())
                        .setEndedJoinTokens(ended.getEndedJoinTokens())
                        .setRequest(NodeProtos.receipt(receipt))
                        .build());
    }

    private Receipt ask(NodeId id, NodeRequest request, String reason) {
        return desk.ask(id, request, PrincipalInterceptor.current(), Callers.idempotencyKey(), reason);
    }

    private static <T> T asking(Supplier<T> question) {
        try {
            return question.get();
        } catch (PeerUnavailable e) {
            throw unreachable();
        }
    }

    private Node node(String id) {
        NodeId node = Fields.parse("node_id", id, NodeId::new);
        List<Node> found = list(ListDirectoryRequest.newBuilder().addNodeIds(node.value()).build());
        if (found.isEmpty()) {
            throw new Refused(
                    RefusalCode.NODE_NOT_FOUND,
                    "There is no node " + id + "; look at 'drover node list'.",
                    "node_id");
        }
        return found.getFirst();
    }

    private List<Node> list(ListDirectoryRequest request) {
        try {
            return reading.withDesiredAgents(
                    reading.withIncidents(directory.listWithHealth(request)));
        } catch (PeerUnavailable e) {
            throw unreachable();
        }
    }

    private static Refused unreachable() {
        return new Refused(
                RefusalCode.GATEWAY_UNAVAILABLE,
                "No gateway can be reached; try again in a moment.");
    }
}
