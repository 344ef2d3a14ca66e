package drover.gateway;

import static drover.gateway.GatewayFixture.registration;
import static drover.gateway.GatewayFixture.token;
import static drover.gateway.TestAgent.heartbeat;
import static drover.gateway.TestAgent.hello;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.util.Durations;
import drover.agent.v1.ConnectResponse;
import drover.gateway.session.NodeInventory;
import drover.gateway.store.NodeStore;
import drover.gateway.store.PostgresNodeStore;
import drover.gateway.store.TestPostgres;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.kit.grpc.PortInUse;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.Node;
import drover.node.v1.NodeDirectoryServiceGrpc;
import drover.node.v1.RetireDirectoryNodeRequest;
import io.grpc.ManagedChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The whole gateway on PostgreSQL and real ports. */
class NodeGatewayIT {
    private final Map<Integer, ManagedChannel> channels = new HashMap<>();
    private TestPostgres server;
    private DataSource database;

    @BeforeEach
    void openADatabase() {
        server = TestPostgres.open();
        database = server.dataSource();
    }

    @AfterEach
    void closeTheChannels() {
        channels.values().forEach(ManagedChannel::shutdownNow);
    }

    @Test
    @DisplayName("A node is remembered over gateways, and nobody is online after a crash")
    void remembersNodesButNotTheirSessions() {
        NodeGateway crashed = start("gateway-1");
        NodeGateway second = start("gateway-2");
        ManagedChannel agents = Channels.open(new Address.Tcp("127.0.0.1", crashed.agentPort()));
        NodeStore store = PostgresNodeStore.migrateAndOpen(database);
        try (second) {
            try (crashed) {
                var _ = directory(crashed).registerNode(registration("n1").build());
                TestAgent agent = TestAgent.connect(agents, token("n1")).send(hello(1, 1));
                var _ = agent.session();
                agent.send(heartbeat(0, "run-7", "sha256:7", "v7"));

                await().atMost(Waits.LIMIT)
                        .until(
                                () ->
                                        node(second).getProgramsList().stream()
                                                .anyMatch(p -> p.getVersion().equals("v7")));
                assertThat(node(second).getOnline()).isTrue();
                assertThat(node(second).getGatewayId()).isEqualTo("gateway-1");
                assertThat(store.listLiveGateways())
                        .isEqualTo(
                                Map.of(
                                        "gateway-1", crashed.advertisedAddress(),
                                        "gateway-2", second.advertisedAddress()));
                stopHeartbeats("gateway-1");
                store.removeGateway("gateway-1"); // as after 15 s without its process
                assertThat(node(second).getOnline()).isFalse();
                assertThat(node(crashed).getOnline()).isTrue();
                agents.shutdownNow();
            }
            assertThat(node(second).getPrograms(0).getVersion()).isEqualTo("v7");
            assertThat(node(second).hasLastSeenAt()).isTrue();
            assertThat(store.listLiveGateways()).containsOnlyKeys("gateway-2");
        }
    }

    /** From now on the gateway cannot record that it is alive, as it would before long. */
    private void stopHeartbeats(String gateway) {
        server.run(
                "ALTER TABLE gateway.gateway ADD CONSTRAINT silenced CHECK (id <> '%s') NOT VALID"
                        .formatted(gateway));
    }

    @Test
    @DisplayName("D-172: what a gateway held when it was killed can be retired when it is back")
    void aGatewayThatIsBackHoldsNothingOfBefore() {
        NodeStore store = PostgresNodeStore.migrateAndOpen(database);
        try (NodeGateway other = start("gateway-2")) {
            var _ = directory(other).registerNode(registration("n1").build());
            var held = new NodeStore.NodeUpdate(new NodeId("n1"), NodeInventory.NONE, true);
            store.writeNodeUpdates("gateway-1", List.of(held)); // and then it was killed

            try (NodeGateway back = start("gateway-1")) {
                assertThat(store.listLiveGateways()).containsKey("gateway-1");
                Node retired =
                        directory(other)
                                .retireDirectoryNode(
                                        RetireDirectoryNodeRequest.newBuilder()
                                                .setNodeId("n1")
                                                .build())
                                .getNode();
                assertThat(retired.hasRetiredAt()).isTrue();
                assertThat(node(back, "n1").getLastGatewayId()).isEmpty();
            }
        }
    }

    @Test
    @DisplayName("D-172: who cannot begin takes nothing from the process that has its name")
    void aSecondProcessOfTheSameNameTakesNothing() {
        try (NodeGateway first = start("gateway-1")) {
            var _ = directory(first).registerNode(registration("n1").build());
            NodeStore store = PostgresNodeStore.migrateAndOpen(database);
            store.writeNodeUpdates(
                    "gateway-1",
                    List.of(new NodeStore.NodeUpdate(new NodeId("n1"), NodeInventory.NONE, true)));
            Address taken = new Address.Tcp("127.0.0.1", first.agentPort());
            NodeGatewayConfig again =
                    NodeGatewayConfig.of("gateway-1", taken, new Address.Tcp("127.0.0.1", 0), "");

            assertThatThrownBy(
                            () -> NodeGateway.start(again, new NodeGateway.Dependencies(database)))
                    .isInstanceOf(PortInUse.class);

            assertThat(node(first, "n1").getLastGatewayId()).isEqualTo("gateway-1");
        }
    }

    @Test
    void aStoppingGatewaySendsItsAgentsElsewhere() {
        NodeGateway gateway = start("gateway-1");
        ManagedChannel agents = Channels.open(new Address.Tcp("127.0.0.1", gateway.agentPort()));
        var _ = directory(gateway).registerNode(registration("n1").build());
        TestAgent agent = TestAgent.connect(agents, token("n1")).send(hello(1, 1));
        var _ = agent.session();

        gateway.close();

        assertThat(
                        agent.received
                                .awaitMessage(ConnectResponse::hasReconnect)
                                .getReconnect()
                                .getWithin())
                .isEqualTo(Durations.fromMillis(100));
        assertThat(agent.received.refusal())
                .as("of one that stays all the same")
                .isEqualTo(RefusalCode.GATEWAY_UNAVAILABLE);
        agents.shutdownNow();
    }

    @Test
    void refusesATakenPortAndLeavesNothingOpen() {
        try (NodeGateway first = start("gateway-1")) {
            Address taken = new Address.Tcp("127.0.0.1", first.agentPort());
            NodeGatewayConfig second =
                    NodeGatewayConfig.of("gateway-2", taken, new Address.Tcp("127.0.0.1", 0), "");

            assertThatThrownBy(
                            () -> NodeGateway.start(second, new NodeGateway.Dependencies(database)))
                    .isInstanceOf(PortInUse.class);
            assertThat(PostgresNodeStore.migrateAndOpen(database).listLiveGateways())
                    .containsOnlyKeys("gateway-1");
        }
    }

    private NodeGateway start(String id) {
        Address any = new Address.Tcp("127.0.0.1", 0);
        return NodeGateway.start(
                NodeGatewayConfig.of(id, any, any, ""), new NodeGateway.Dependencies(database));
    }

    private NodeDirectoryServiceGrpc.NodeDirectoryServiceBlockingStub directory(
            NodeGateway gateway) {
        return NodeDirectoryServiceGrpc.newBlockingStub(
                channels.computeIfAbsent(
                        gateway.internalPort(),
                        port -> Channels.open(new Address.Tcp("127.0.0.1", port))));
    }

    private Node node(NodeGateway gateway, String id) {
        return directory(gateway)
                .listDirectory(ListDirectoryRequest.newBuilder().addNodeIds(id).build())
                .getNodes(0);
    }

    private Node node(NodeGateway gateway) {
        return directory(gateway)
                .listDirectory(ListDirectoryRequest.getDefaultInstance())
                .getNodesList()
                .stream()
                .findFirst()
                .orElseThrow();
    }
}
