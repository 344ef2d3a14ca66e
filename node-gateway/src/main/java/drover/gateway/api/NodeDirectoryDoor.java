package drover.gateway.api;

import drover.gateway.engine.NodeDirectory;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.ListDirectoryResponse;
import drover.node.v1.NodeDirectoryServiceGrpc;
import drover.node.v1.RegisterNodeRequest;
import drover.node.v1.RegisterNodeResponse;
import drover.node.v1.RetireDirectoryNodeRequest;
import drover.node.v1.RetireDirectoryNodeResponse;
import io.grpc.stub.StreamObserver;

/** The door to the gateways' list of nodes. */
public final class NodeDirectoryDoor extends NodeDirectoryServiceGrpc.NodeDirectoryServiceImplBase {
    private final NodeDirectory directory;

    /** A door to this list. */
    public NodeDirectoryDoor(NodeDirectory directory) {
        this.directory = directory;
    }

    @Override
    public void listDirectory(
            ListDirectoryRequest request, StreamObserver<ListDirectoryResponse> responses) {
        ListDirectoryResponse.Builder response = ListDirectoryResponse.newBuilder();
        DirectoryProtos.list(directory, request)
                .forEach(entry -> response.addNodes(DirectoryProtos.render(entry)));
        responses.onNext(response.build());
        responses.onCompleted();
    }

    @Override
    public void retireDirectoryNode(
            RetireDirectoryNodeRequest request,
            StreamObserver<RetireDirectoryNodeResponse> responses) {
        NodeDirectory.Entry retired = directory.retire(DirectoryProtos.node(request));
        responses.onNext(
                RetireDirectoryNodeResponse.newBuilder()
                        .setNode(DirectoryProtos.render(retired))
                        .build());
        responses.onCompleted();
    }

    @Override
    public void registerNode(
            RegisterNodeRequest request, StreamObserver<RegisterNodeResponse> responses) {
        NodeDirectory.Entry registered =
                directory.register(
                        DirectoryProtos.identity(request), DirectoryProtos.token(request));
        responses.onNext(
                RegisterNodeResponse.newBuilder()
                        .setNode(DirectoryProtos.render(registered))
                        .build());
        responses.onCompleted();
    }
}
