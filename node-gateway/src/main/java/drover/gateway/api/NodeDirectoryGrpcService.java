package drover.gateway.api;

import drover.gateway.engine.credential.NodeRevocationWriter;
import drover.gateway.engine.directory.StoredNodeDirectory;
import drover.gateway.engine.session.NodeLogReader;
import drover.gateway.identity.NodeRevocationCounts;
import drover.model.NodeId;
import drover.model.program.BinaryName;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.ListDirectoryResponse;
import drover.node.v1.NodeDirectoryServiceGrpc;
import drover.node.v1.ReadDirectoryNodeLogRequest;
import drover.node.v1.ReadDirectoryNodeLogResponse;
import drover.node.v1.RegisterNodeRequest;
import drover.node.v1.RegisterNodeResponse;
import drover.node.v1.RetireDirectoryNodeRequest;
import drover.node.v1.RetireDirectoryNodeResponse;
import drover.node.v1.RevokeDirectoryNodeRequest;
import drover.node.v1.RevokeDirectoryNodeResponse;
import io.grpc.stub.StreamObserver;

/** The door to the gateways' list of nodes. */
public final class NodeDirectoryGrpcService
        extends NodeDirectoryServiceGrpc.NodeDirectoryServiceImplBase {
    private final StoredNodeDirectory directory;
    private final NodeRevocationWriter revocations;
    private final NodeLogReader logs;

    /** Serves this directory, revocations, and the logs of connected nodes. */
    public NodeDirectoryGrpcService(
            StoredNodeDirectory directory, NodeRevocationWriter revocations, NodeLogReader logs) {
        this.directory = directory;
        this.revocations = revocations;
        this.logs = logs;
    }

    @Override
    public void listDirectory(
            ListDirectoryRequest request, StreamObserver<ListDirectoryResponse> responses) {
        ListDirectoryResponse.Builder response = ListDirectoryResponse.newBuilder();
        NodeDirectoryProtos.listNodes(directory, request)
                .forEach(
                        entry ->
                                response.addNodes(
                                        request.getWithProbeDetails()
                                                ? NodeDirectoryProtos.toNodeWithProbeDetails(entry)
                                                : NodeDirectoryProtos.toNode(entry)));
        responses.onNext(response.build());
        responses.onCompleted();
    }

    @Override
    public void retireDirectoryNode(
            RetireDirectoryNodeRequest request,
            StreamObserver<RetireDirectoryNodeResponse> responses) {
        StoredNodeDirectory.NodeWithLiveHealth retired =
                directory.retire(NodeDirectoryProtos.parseNodeId(request));
        responses.onNext(
                RetireDirectoryNodeResponse.newBuilder()
                        .setNode(NodeDirectoryProtos.toNode(retired))
                        .build());
        responses.onCompleted();
    }

    @Override
    public void revokeDirectoryNode(
            RevokeDirectoryNodeRequest request,
            StreamObserver<RevokeDirectoryNodeResponse> responses) {
        NodeId node = NodeDirectoryProtos.parseField("node_id", request.getNodeId(), NodeId::new);
        NodeRevocationCounts ended = revocations.revoke(node, request.getRevokedBy());
        responses.onNext(
                RevokeDirectoryNodeResponse.newBuilder()
                        .setNode(NodeDirectoryProtos.toNode(directory.findOrRefuse(node)))
                        .setRevokedCertificates(ended.certificates())
                        .setRevokedJoinTokens(ended.joinTokens())
                        .build());
        responses.onCompleted();
    }

    @Override
    public void readDirectoryNodeLog(
            ReadDirectoryNodeLogRequest request,
            StreamObserver<ReadDirectoryNodeLogResponse> responses) {
        NodeId node = NodeDirectoryProtos.parseField("node_id", request.getNodeId(), NodeId::new);
        BinaryName program =
                NodeDirectoryProtos.parseField("program", request.getProgram(), BinaryName::new);
        String text = logs.read(node, program);
        responses.onNext(ReadDirectoryNodeLogResponse.newBuilder().setText(text).build());
        responses.onCompleted();
    }

    @Override
    public void registerNode(
            RegisterNodeRequest request, StreamObserver<RegisterNodeResponse> responses) {
        StoredNodeDirectory.NodeWithLiveHealth registered =
                directory.register(
                        NodeDirectoryProtos.parseIdentity(request),
                        NodeDirectoryProtos.parseTokenDigest(request));
        responses.onNext(
                RegisterNodeResponse.newBuilder()
                        .setNode(NodeDirectoryProtos.toNode(registered))
                        .build());
        responses.onCompleted();
    }
}
