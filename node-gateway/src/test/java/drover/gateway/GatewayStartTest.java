package drover.gateway;

import static drover.gateway.GatewayFixture.token;
import static drover.gateway.TestAgent.hello;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeInventory;
import drover.gateway.session.ReportedProgram;
import drover.gateway.store.InMemoryCredentialStore;
import drover.gateway.store.InMemoryNodeStore;
import drover.gateway.store.NodeStore;
import drover.gateway.store.NodeStore.StoredNode;
import drover.kit.grpc.Address;
import drover.kit.grpc.Channels;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.RefusalCode;
import io.grpc.ManagedChannel;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Agents that dial while their gateway gives up what the process before it held. */
class GatewayStartTest {
    private static final NodeId NODE = new NodeId("n1");
    private static final Address AGENTS = new Address.InProcess("start-agents");

    private final InMemoryNodeStore nodes = new InMemoryNodeStore(InstantSource.system());
    private final InMemoryCredentialStore identities =
            new InMemoryCredentialStore(nodes, InstantSource.system());
    private final ManagedChannel channel = Channels.open(AGENTS);

    @AfterEach
    void hangUp() {
        channel.shutdownNow();
    }

    @Test
    @DisplayName("D-172: what a node says while its gateway starts is written down")
    void recordsReportsDuringTheOutage() {
        register();
        nodes.writeNodeUpdates(
                "gateway-1", List.of(new NodeStore.NodeUpdate(NODE, NodeInventory.NONE, true)));

        try (NodeGateway gateway = startedAfter(this::connect)) {
            assertThat(gateway.agentPort()).isNegative();
            await().atMost(Waits.LIMIT).until(() -> stored().lastGatewayId().equals("gateway-1"));
            assertThat(stored().inventory().programs())
                    .extracting(ReportedProgram::version)
                    .containsExactly("v1");
        }
    }

    @Test
    @DisplayName("D-172: a gateway that cannot begin dates no row that it has not written")
    void whoCannotStartDatesNothingThatItHasNotWritten() {
        register();

        assertThatThrownBy(() -> startedAfter(this::connectRefused)).hasMessage("away");

        assertThat(stored().lastSeen()).isPresent();
        assertThat(stored().inventory().programs()).isNotEmpty();
    }

    @Test
    @DisplayName("H3: a stream is ended with what it began with, also while its gateway starts")
    void aStreamThatIsEndedMeanwhileEnds() {
        register();

        try (NodeGateway gateway =
                startedAfter(
                        () -> {
                            TestAgent agent = connect();
                            assertThat(identities.revokeNode(NODE, "key:boss")).isPresent();
                            assertThat(agent.received.refusal())
                                    .isEqualTo(RefusalCode.NODE_REVOKED);
                        })) {
            assertThat(gateway.agentPort()).isNegative();
        }
    }

    private void register() {
        NodeIdentity node =
                new NodeIdentity(
                        NODE, new ChainProfileId("testchain"), new NodeType("full"), Map.of());
        assertThat(nodes.register(node, Digest.of(token("n1"))))
                .isInstanceOf(NodeStore.NodeRegistrationResult.Registered.class);
    }

    private TestAgent connect() {
        TestAgent agent = TestAgent.connect(channel, token("n1")).send(hello(1, 1));
        assertThat(agent.session()).isNotEmpty();
        return agent;
    }

    private void connectRefused() {
        var _ = connect();
        throw new IllegalStateException("away");
    }

    private StoredNode stored() {
        return nodes.list(NodeStore.Query.firstPage()).getFirst();
    }

    /** Its door is open, and this happens before the rows of the process before are given up. */
    private NodeGateway startedAfter(Runnable meanwhile) {
        return NodeGateway.start(
                NodeGatewayConfig.of(
                        "gateway-1", AGENTS, new Address.InProcess("start-internal"), ""),
                storeThatRunsFirst(meanwhile),
                identities,
                identities);
    }

    private NodeStore storeThatRunsFirst(Runnable meanwhile) {
        return (NodeStore)
                Proxy.newProxyInstance(
                        NodeStore.class.getClassLoader(),
                        new Class<?>[] {NodeStore.class},
                        (_, method, arguments) -> {
                            if (method.getName().equals("releaseGatewayNodes")) {
                                meanwhile.run();
                            }
                            try {
                                return method.invoke(nodes, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }
}
