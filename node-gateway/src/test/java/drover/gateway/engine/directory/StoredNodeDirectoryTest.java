package drover.gateway.engine.directory;

import static org.assertj.core.api.Assertions.assertThat;

import drover.gateway.engine.session.AgentHello;
import drover.gateway.engine.session.AgentOutboxWriter;
import drover.gateway.engine.session.SessionTable;
import drover.gateway.engine.session.StreamToAgent;
import drover.gateway.session.MessageToAgent;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeInventory;
import drover.gateway.session.OpaqueMessage;
import drover.gateway.store.InMemoryNodeStore;
import drover.gateway.store.NodeStore.NodeUpdate;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodeType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A gateway whose clock is an hour behind the database's. */
class StoredNodeDirectoryTest {
    private static final Instant AT = Instant.parse("2026-01-01T10:00:00Z");
    private static final NodeIdentity NODE =
            new NodeIdentity(
                    new NodeId("n1"),
                    new ChainProfileId("harbour"),
                    new NodeType("edge"),
                    Map.of());

    private final AtomicLong elapsed = new AtomicLong(1);
    private final SessionTable table = new SessionTable(elapsed::get);
    private final InMemoryNodeStore store = new InMemoryNodeStore(() -> now(Duration.ZERO));
    private final StoredNodeDirectory directory =
            new StoredNodeDirectory(
                    "g1", table, store, () -> now(Duration.ofHours(-1)), Duration.ofSeconds(30));

    private Instant now(Duration off) {
        return AT.plusNanos(elapsed.get()).plus(off);
    }

    private void pass(Duration time) {
        elapsed.addAndGet(time.toNanos());
    }

    @BeforeEach
    void register() {
        store.register(NODE, Digest.of("token"));
    }

    @Test
    @DisplayName("D-174 G6: when a node was last heard of is told by the database's clock")
    void aNodeThatIsConnectedHereIsDatedByTheDatabase() {
        pass(Duration.ofSeconds(100));
        Instant receivedAt = now(Duration.ZERO);
        arrive();
        pass(Duration.ofSeconds(7));

        assertThat(directory.findOrRefuse(NODE.id()).lastSeen()).contains(receivedAt);
    }

    @Test
    @DisplayName("D-170: a gateway that is not heard of is named, and holds nothing")
    void theLastGatewayIsNamedWhenItIsUnresponsive() {
        store.recordGatewayHeartbeat("g2", "127.0.0.1:2");
        store.writeNodeUpdates("g2", List.of(new NodeUpdate(NODE.id(), NodeInventory.NONE, true)));
        assertThat(directory.findOrRefuse(NODE.id()).gatewayId()).contains("g2");
        assertThat(directory.findOrRefuse(NODE.id()).lastGatewayId()).isEqualTo("g2");

        pass(Duration.ofSeconds(20));

        assertThat(directory.findOrRefuse(NODE.id()).gatewayId()).isEmpty();
        assertThat(directory.findOrRefuse(NODE.id()).isOnline()).isFalse();
        assertThat(directory.findOrRefuse(NODE.id()).lastGatewayId()).isEqualTo("g2");
    }

    @Test
    void holderOfTheSessionIsTheLast() {
        store.writeNodeUpdates("g2", List.of(new NodeUpdate(NODE.id(), NodeInventory.NONE, true)));

        arrive();

        assertThat(directory.findOrRefuse(NODE.id()).gatewayId()).contains("g1");
        assertThat(directory.findOrRefuse(NODE.id()).lastGatewayId()).isEqualTo("g1");
    }

    private void arrive() {
        AgentHello arrival =
                new AgentHello(
                        NODE, 1, 1, true, NodeInventory.NONE, new Nothing(), Optional.empty());
        assertThat(table.admit(arrival, new AgentOutboxWriter(new DiscardingStream())))
                .isNotEmpty();
    }

    /** A Hello that nobody reads. */
    private record Nothing() implements OpaqueMessage {
        @Override
        public int bytes() {
            return 0;
        }
    }

    /** A wire to an agent that hears nothing. */
    private static final class DiscardingStream implements StreamToAgent {
        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void send(MessageToAgent outgoing) {}

        @Override
        public void end(Refused reason) {}
    }
}
