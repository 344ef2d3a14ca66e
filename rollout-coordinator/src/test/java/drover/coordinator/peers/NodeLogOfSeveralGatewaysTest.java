package drover.coordinator.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.store.gateway.GatewayRegistryReader.RegisteredGateway;
import drover.kit.grpc.Address;
import drover.kit.grpc.ChannelFactory;
import drover.kit.grpc.GrpcServer;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import drover.model.program.BinaryName;
import drover.node.v1.Node;
import drover.node.v1.NodeDirectoryServiceGrpc.NodeDirectoryServiceImplBase;
import drover.node.v1.ReadDirectoryNodeLogRequest;
import drover.node.v1.ReadDirectoryNodeLogResponse;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The log of a program is read at whichever gateway holds the session of the node. */
class NodeLogOfSeveralGatewaysTest {
    private final List<GrpcServer> hosts = new ArrayList<>();
    private final List<RegisteredGateway> gateways = new ArrayList<>();

    @AfterEach
    void close() {
        hosts.forEach(GrpcServer::close);
    }

    /** A gateway that returns this log, or that holds no session of the node if it is empty. */
    private void gateway(String id, String log) {
        String name = "node-log-" + id;
        hosts.add(
                GrpcServer.builder()
                        .addService(
                                new NodeDirectoryServiceImplBase() {
                                    @Override
                                    public void readDirectoryNodeLog(
                                            ReadDirectoryNodeLogRequest request,
                                            StreamObserver<ReadDirectoryNodeLogResponse> response) {
                                        if (log.isEmpty()) {
                                            throw new Refused(
                                                    RefusalCode.NODE_OFFLINE, "Not here.");
                                        }
                                        response.onNext(
                                                ReadDirectoryNodeLogResponse.newBuilder()
                                                        .setText(log)
                                                        .build());
                                        response.onCompleted();
                                    }
                                })
                        .listen(new Address.InProcess(name)));
        gateways.add(new RegisteredGateway(id, new Address.InProcess(name).toString()));
    }

    private void stoppedGateway(String id) {
        gateways.add(new RegisteredGateway(id, new Address.InProcess("node-log-" + id).toString()));
    }

    private String readLog(String registeredGateway) {
        try (GrpcNodeDirectoryLink link =
                new GrpcNodeDirectoryLink(() -> gateways, ChannelFactory.PLAINTEXT)) {
            Node node = Node.newBuilder().setId("n1").setGatewayId(registeredGateway).build();
            return link.readLogTail(node, new BinaryName("app"));
        }
    }

    @Test
    void readsTheLogOfANodeThatMovedToAnotherGateway() {
        gateway("g1", "");
        gateway("g2", "started\n");
        assertThat(readLog("g1")).isEqualTo("started\n");
    }

    @Test
    void reportsANodeOfflineIfNoGatewayHoldsItsSession() {
        gateway("g1", "");
        gateway("g2", "");
        assertThatThrownBy(() -> readLog("g2"))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> {
                            assertThat(refused.code()).isEqualTo(RefusalCode.NODE_OFFLINE);
                            assertThat(refused).hasMessageContaining("node n1 is not connected");
                        });
    }

    @Test
    void reportsAGatewayThatDoesNotRespondAlthoughAnotherOneHoldsNoSession() {
        stoppedGateway("g1");
        gateway("g2", "");
        assertThatThrownBy(() -> readLog("g1"))
                .isInstanceOf(PeerUnavailable.class)
                .hasMessageContaining("Gateway g1 did not respond");
    }
}
