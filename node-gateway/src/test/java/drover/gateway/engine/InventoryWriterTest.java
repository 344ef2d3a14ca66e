package drover.gateway.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.gateway.session.Inventory;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.Outgoing;
import drover.gateway.session.Relayed;
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

class InventoryWriterTest {
    private final List<String> written = new ArrayList<>();
    private final SessionTable table = new SessionTable(() -> 7);
    private final InventoryWriter writer = new InventoryWriter("g1", table, store());
    private boolean away;

    @Test
    @DisplayName("D-159: a row is never dated later than what it says")
    void whatANodeRunsIsWrittenBeforeWhenItWasHeardOf() {
        table.watch(writer);
        arrive();
        away = true;
        assertThatThrownBy(writer::writeHeard).isInstanceOf(StoreUnavailable.class);
        assertThat(written).containsExactly("record");
        written.clear();
        away = false;

        writer.writeHeard();

        assertThat(written).containsExactly("record", "heard");
    }

    private void arrive() {
        NodeIdentity identity =
                new NodeIdentity(
                        new NodeId("n1"),
                        new ChainProfileId("harbour"),
                        new NodeType("edge"),
                        Map.of());
        Arrival arrival =
                new Arrival(identity, 1, 1, true, Inventory.NONE, new Nothing(), Optional.empty());
        assertThat(table.admit(arrival, new AgentLine(new Deaf()))).isNotEmpty();
    }

    /** Writes down in which order it is called; of a record it says that the database is away. */
    private NodeStore store() {
        return (NodeStore)
                Proxy.newProxyInstance(
                        NodeStore.class.getClassLoader(),
                        new Class<?>[] {NodeStore.class},
                        (_, method, _) -> {
                            written.add(method.getName());
                            if (away) {
                                throw new StoreUnavailable(
                                        "writing", new IllegalStateException("away"));
                            }
                            return null;
                        });
    }

    /** A Hello that nobody reads. */
    private record Nothing() implements Relayed {
        @Override
        public int bytes() {
            return 0;
        }
    }

    /** A wire to an agent that hears nothing. */
    private static final class Deaf implements AgentWire {
        @Override
        public boolean ready() {
            return true;
        }

        @Override
        public void send(Outgoing outgoing) {}

        @Override
        public void end(Refused reason) {}
    }
}
