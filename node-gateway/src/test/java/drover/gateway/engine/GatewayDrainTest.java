package drover.gateway.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.gateway.Waits;
import drover.gateway.engine.session.AgentHello;
import drover.gateway.engine.session.AgentOutboxWriter;
import drover.gateway.engine.session.SessionTable;
import drover.gateway.engine.session.StreamToAgent;
import drover.gateway.session.MessageToAgent;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeInventory;
import drover.gateway.session.OpaqueMessage;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.RefusalCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A gateway that ends, and agents that hang up when they are asked to. */
class GatewayDrainTest {
    private static final int AGENTS = 70; // three slices

    private final SessionTable table = new SessionTable(System::nanoTime);
    private final List<Long> leftAt = Collections.synchronizedList(new ArrayList<>());

    @Test
    @DisplayName("I1: agents are asked to leave, some at a time, and nobody is let in any more")
    void requestsSliceBySlice() {
        for (int i = 0; i < AGENTS; i++) {
            arrive("n" + i, true);
        }
        try (TaskScheduler ticker = new TaskScheduler()) {
            GatewayDrain.drain(table, ticker);
        }

        assertThat(leftAt).hasSize(AGENTS);
        long spread = Collections.max(leftAt) - Collections.min(leftAt);
        assertThat(Duration.ofNanos(spread)).isGreaterThanOrEqualTo(Duration.ofMillis(190));
        assertThat(table.streamCount()).isZero();
        assertThatThrownBy(() -> arrive("late", true))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused ->
                                assertThat(refused.code())
                                        .isEqualTo(RefusalCode.GATEWAY_UNAVAILABLE));
    }

    @Test
    void isNotHeldUpByAnAgentThatStays() {
        arrive("stays", false);
        long started = System.nanoTime();
        try (TaskScheduler ticker = new TaskScheduler()) {
            CompletableFuture<Void> drain =
                    CompletableFuture.runAsync(() -> GatewayDrain.drain(table, ticker));
            assertThat(drain).as("next to an agent that stays").succeedsWithin(Waits.LIMIT);
        }

        assertThat(table.streamCount()).isEqualTo(1);
        Waits.measured(
                "DrainTest: an agent that stays",
                Duration.ofNanos(System.nanoTime() - started),
                Duration.ofSeconds(5));
    }

    private void arrive(String name, boolean obeys) {
        NodeId node = new NodeId(name);
        NodeIdentity identity =
                new NodeIdentity(
                        node, new ChainProfileId("harbour"), new NodeType("edge"), Map.of());
        AgentHello arrival =
                new AgentHello(
                        identity, 1, 1, true, NodeInventory.NONE, new Nothing(), Optional.empty());
        DisconnectingStream wire = new DisconnectingStream(node, obeys);
        wire.session = table.admit(arrival, new AgentOutboxWriter(wire));
    }

    /** A Hello that nobody reads. */
    private record Nothing() implements OpaqueMessage {
        @Override
        public int bytes() {
            return 0;
        }
    }

    /** The wire to an agent that hangs up when it is told to go, if it obeys. */
    private final class DisconnectingStream implements StreamToAgent {
        private final NodeId node;
        private final boolean obeys;
        private String session = "";

        DisconnectingStream(NodeId node, boolean obeys) {
            this.node = node;
            this.obeys = obeys;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void send(MessageToAgent outgoing) {
            if (obeys && outgoing instanceof MessageToAgent.Reconnect) {
                leftAt.add(System.nanoTime());
                table.removeSession(node, session);
            }
        }

        @Override
        public void end(Refused reason) {
            throw new IllegalStateException("It was asked to leave, not ended");
        }
    }
}
