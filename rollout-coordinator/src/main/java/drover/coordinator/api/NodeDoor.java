package drover.coordinator.api;

import drover.coordinator.engine.Fields;
import drover.coordinator.peers.GrpcDirectoryLink;
import drover.coordinator.peers.PeerUnavailable;
import drover.coordinator.store.RolloutViews;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.node.v1.ExplainNodeRequest;
import drover.node.v1.ExplainNodeResponse;
import drover.node.v1.GetNodeRequest;
import drover.node.v1.GetNodeResponse;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.ListNodesRequest;
import drover.node.v1.ListNodesResponse;
import drover.node.v1.Node;
import drover.node.v1.NodeReason;
import drover.node.v1.NodeServiceGrpc;
import drover.rollout.v1.Because;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** Nodes for operators: the gateways' directory, with the coordinator's reasons. */
public final class NodeDoor extends NodeServiceGrpc.NodeServiceImplBase {
    private static final int DEFAULT_PAGE = 100;
    private static final int MOST = 1_000;
    private static final int REASONS = 50;

    private final GrpcDirectoryLink directory;
    private final RolloutViews views;

    /** A door over these. */
    public NodeDoor(GrpcDirectoryLink directory, RolloutViews views) {
        this.directory = directory;
        this.views = views;
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
                                .setPageSize(size)
                                .setAfter(request.getPageToken())
                                .build());
        ListNodesResponse.Builder response = ListNodesResponse.newBuilder().addAllNodes(nodes);
        if (nodes.size() == size) {
            response.setNextPageToken(nodes.getLast().getId());
        }
        RolloutDoor.answer(out, response.build());
    }

    @Override
    public void getNode(GetNodeRequest request, StreamObserver<GetNodeResponse> out) {
        RolloutDoor.answer(
                out, GetNodeResponse.newBuilder().setNode(node(request.getNodeId())).build());
    }

    @Override
    public void explainNode(ExplainNodeRequest request, StreamObserver<ExplainNodeResponse> out) {
        Node node = node(request.getNodeId());
        ExplainNodeResponse.Builder response = ExplainNodeResponse.newBuilder().setNode(node);
        views.historyOfNode(node.getId(), REASONS)
                .forEach(
                        entry -> {
                            Because because = RolloutProtos.because(entry);
                            response.addReasons(
                                    NodeReason.newBuilder()
                                            .setAt(because.getAt())
                                            .setCode(because.getCode())
                                            .setSentence(because.getSentence())
                                            .setRolloutId(entry.rollout().value()));
                        });
        RolloutDoor.answer(out, response.build());
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
            return directory.listWithHealth(request);
        } catch (PeerUnavailable e) {
            throw new Refused(
                    RefusalCode.GATEWAY_UNAVAILABLE,
                    "No gateway can be reached; try again in a moment.");
        }
    }
}
