package drover.gateway.engine.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.gateway.engine.session.AgentHello;
import drover.gateway.engine.session.AgentOutboxWriter;
import drover.gateway.engine.session.SessionTable;
import drover.gateway.engine.session.StreamToAgent;
import drover.gateway.session.MessageToAgent;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeInventory;
import drover.gateway.session.OpaqueMessage;
import drover.gateway.store.NodeStore;
import drover.gateway.store.StoreUnavailable;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodeType;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class InventoryAndLastSeenWriterTest {
    private final List<String> written = new ArrayList<>();
    private final SessionTable table = new SessionTable(() -> 7);
    private final InventoryAndLastSeenWriter writer =
            new InventoryAndLastSeenWriter("g1", table, store());
    private boolean unavailable;

    @Test
    @DisplayName("D-159: a row is never dated later than what it says")
    void storesTheInventoryBeforeTheLastSeenTime() {
        table.watch(writer);
        arrive();
        unavailable = true;
        assertThatThrownBy(writer::writeLastSeen).isInstanceOf(StoreUnavailable.class);
        assertThat(written).containsExactly("writeNodeUpdates");
        written.clear();
        unavailable = false;

        writer.writeLastSeen();

        assertThat(written).containsExactly("writeNodeUpdates", "recordLastSeen");
    }

    private void arrive() {
        NodeIdentity identity =
                new NodeIdentity(
                        new NodeId("n1"),
                        new ChainProfileId("harbour"),
                        new NodeType("edge"),
                        Map.of());
        AgentHello arrival =
                new AgentHello(
                        identity, 1, 1, true, NodeInventory.NONE, new Nothing(), Optional.empty());
        assertThat(table.admit(arrival, new AgentOutboxWriter(new DiscardingStream())))
                .isNotEmpty();
    }

    /** Writes down in which order it is called; of a record it says that the database is away. */
    private NodeStore store() {
        return (NodeStore)
                Proxy.newProxyInstance(
                        NodeStore.class.getClassLoader(),
                        new Class<?>[] {NodeStore.class},
                        (_, method, _) -> {
                            written.add(method.getName());
                            if (unavailable) {
                                throw new StoreUnavailable(
                                        "writing", new IllegalStateException("away"));
                            }
                            return null;
                        });
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
