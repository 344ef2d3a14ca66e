package drover.coordinator.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Timestamp;
import drover.coordinator.peers.NodeDirectoryLink.DirectoryNode;
import drover.coordinator.store.gateway.GatewayRegistryReader;
import drover.kit.grpc.Address;
import drover.kit.grpc.ChannelFactory;
import drover.kit.grpc.GrpcServer;
import drover.kit.grpc.Refused;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.ListDirectoryResponse;
import drover.node.v1.Node;
import drover.node.v1.NodeDirectoryServiceGrpc.NodeDirectoryServiceImplBase;
import drover.node.v1.RevokeDirectoryNodeRequest;
import drover.node.v1.RevokeDirectoryNodeResponse;
import io.grpc.stub.StreamObserver;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class GrpcNodeDirectoryLinkTest {
    private final List<GrpcServer> hosts = new ArrayList<>();
    private final List<GatewayRegistryReader.RegisteredGateway> gateways = new ArrayList<>();
    private final List<String> requested = new ArrayList<>();
    private ListDirectoryResponse directory = ListDirectoryResponse.getDefaultInstance();

    @AfterEach
    void close() {
        hosts.forEach(GrpcServer::close);
    }

    /** A gateway that revokes nodes, or refuses to for this reason. */
    private void gateway(String id, Optional<RefusalCode> refusal) {
        String name = "directory-link-" + id;
        hosts.add(
                GrpcServer.builder()
                        .addService(
                                new NodeDirectoryServiceImplBase() {
                                    @Override
                                    public void revokeDirectoryNode(
                                            RevokeDirectoryNodeRequest request,
                                            StreamObserver<RevokeDirectoryNodeResponse> answer) {
                                        requested.add(id);
                                        refusal.ifPresent(
                                                code -> {
                                                    throw new Refused(code, "Not here.");
                                                });
                                        answer.onNext(
                                                RevokeDirectoryNodeResponse.getDefaultInstance());
                                        answer.onCompleted();
                                    }

                                    @Override
                                    public void listDirectory(
                                            ListDirectoryRequest request,
                                            StreamObserver<ListDirectoryResponse> answer) {
                                        answer.onNext(directory);
                                        answer.onCompleted();
                                    }
                                })
                        .listen(new Address.InProcess(name)));
        gateways.add(
                new GatewayRegistryReader.RegisteredGateway(
                        id, new Address.InProcess(name).toString()));
    }

    private void revoke() {
        try (GrpcNodeDirectoryLink link =
                new GrpcNodeDirectoryLink(() -> gateways, ChannelFactory.PLAINTEXT)) {
            var _ = link.revoke(new NodeId("n1"), "key:boss");
        }
    }

    @Test
    void triesFurtherGatewaysAfterOneWithoutADatabase() {
        gateway("g1", Optional.of(RefusalCode.STORE_UNAVAILABLE));
        gateway("g2", Optional.empty());

        revoke();

        assertThat(requested).containsExactly("g1", "g2");
    }

    @Test
    void firstGatewayRespondsForAll() {
        gateway("g1", Optional.of(RefusalCode.NODE_NOT_FOUND));
        gateway("g2", Optional.empty());

        assertThatThrownBy(this::revoke)
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused ->
                                assertThat(refused.code()).isEqualTo(RefusalCode.NODE_NOT_FOUND));
        assertThat(requested).containsExactly("g1");
    }

    @Test
    void reportsThatNoGatewayHasItsDatabase() {
        gateway("g1", Optional.of(RefusalCode.STORE_UNAVAILABLE));
        gateway("g2", Optional.of(RefusalCode.STORE_UNAVAILABLE));

        assertThatThrownBy(this::revoke)
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused ->
                                assertThat(refused.code())
                                        .isEqualTo(RefusalCode.STORE_UNAVAILABLE));
    }

    @Test
    @DisplayName("D-159: how old a row of the directory is comes with it")
    void returnsTheLastSeenTimeOfANode() {
        Instant receivedAt = Instant.parse("2026-01-01T10:00:00.123456Z");
        directory =
                ListDirectoryResponse.newBuilder()
                        .addNodes(
                                Node.newBuilder()
                                        .setId("n1")
                                        .setLastSeenAt(
                                                Timestamp.newBuilder()
                                                        .setSeconds(receivedAt.getEpochSecond())
                                                        .setNanos(receivedAt.getNano())))
                        .addNodes(Node.newBuilder().setId("n2"))
                        .build();
        gateway("g1", Optional.empty());

        try (GrpcNodeDirectoryLink link =
                new GrpcNodeDirectoryLink(() -> gateways, ChannelFactory.PLAINTEXT)) {
            assertThat(link.listNodes("demo", ""))
                    .extracting(DirectoryNode::lastSeen)
                    .containsExactly(receivedAt, null);
        }
    }

    @Test
    @DisplayName("D-170: so does the gateway that held the node last")
    void lastGatewayIsKnownWithoutAConnection() {
        directory =
                ListDirectoryResponse.newBuilder()
                        .addNodes(Node.newBuilder().setId("n1").setLastGatewayId("g7"))
                        .addNodes(
                                Node.newBuilder().setId("n2").setGatewayId("of an earlier version"))
                        .addNodes(Node.newBuilder().setId("n3"))
                        .build();
        gateway("g1", Optional.empty());

        try (GrpcNodeDirectoryLink link =
                new GrpcNodeDirectoryLink(() -> gateways, ChannelFactory.PLAINTEXT)) {
            assertThat(link.listNodes("demo", ""))
                    .extracting(DirectoryNode::gateway)
                    .containsExactly("g7", "of an earlier version", "");
        }
    }
}
