package drover.gateway.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import drover.gateway.session.LatestHeartbeat;
import drover.gateway.session.MessageToAgent;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeInventory;
import drover.gateway.session.OpaqueMessage;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodeType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** C13, C14: two sessions of one node, of which the second replaced the first. */
class SupersededSessionTest {
    private static final NodeIdentity NODE =
            new NodeIdentity(
                    new NodeId("n1"),
                    new ChainProfileId("harbour"),
                    new NodeType("edge"),
                    Map.of());
    private static final MessageToAgent WORK = new MessageToAgent.Command(new Text("upgrade"));

    private final SessionTable table = new SessionTable(() -> 0);
    private final List<NodeChange> changes = new ArrayList<>();
    private final RecordingStream first = new RecordingStream();
    private final RecordingStream second = new RecordingStream();
    private String firstSession = "";

    @BeforeEach
    void connect() {
        firstSession = connect(1, first);
        table.watch((_, change) -> changes.add(change));
    }

    private String connect(long connectionNumber, RecordingStream wire) {
        return table.admit(
                new AgentHello(
                        NODE,
                        1,
                        connectionNumber,
                        true,
                        NodeInventory.NONE,
                        new Text("hello"),
                        Optional.empty()),
                new AgentOutboxWriter(wire));
    }

    private static ParsedHeartbeat heartbeat(String text) {
        return new ParsedHeartbeat(new Text(text), List.of(), List.of());
    }

    private Optional<OpaqueMessage> latestHeartbeat() {
        return table.snapshot(NODE.id()).heartbeat().map(LatestHeartbeat::body);
    }

    @Test
    @DisplayName("C13: a heartbeat of a superseded session is ignored")
    void ignoresTheHeartbeatOfASupersededSession() {
        String secondSession = connect(2, second);
        table.applyHeartbeat(NODE.id(), secondSession, heartbeat("of the second session"));
        changes.clear();

        table.applyHeartbeat(NODE.id(), firstSession, heartbeat("of the first session"));

        assertThat(latestHeartbeat()).contains(new Text("of the second session"));
        assertThat(changes).isEmpty();
    }

    @Test
    @DisplayName("C13: also before the later session has sent a heartbeat")
    void ignoresItBeforeTheFirstHeartbeatOfTheLaterSession() {
        connect(2, second);
        changes.clear();

        table.applyHeartbeat(NODE.id(), firstSession, heartbeat("of the first session"));

        assertThat(latestHeartbeat()).isEmpty();
        assertThat(changes).isEmpty();
    }

    @Test
    @DisplayName("C13: a heartbeat of a session that has ended is ignored")
    void ignoresTheHeartbeatOfAnEndedSession() {
        table.removeSession(NODE.id(), firstSession);
        changes.clear();
        table.applyHeartbeat(NODE.id(), firstSession, heartbeat("of the ended session"));
        assertThat(latestHeartbeat()).isEmpty();
        assertThat(changes).isEmpty();
    }

    @Test
    @DisplayName("C14: a command for a disconnected node is dropped, not kept for the next session")
    void dropsACommandForADisconnectedNode() {
        table.removeSession(NODE.id(), firstSession);
        assertThat(table.deliver(NODE.id(), firstSession, WORK)).isFalse();
        String secondSession = connect(2, second);
        table.applyHeartbeat(NODE.id(), secondSession, heartbeat("alive"));
        assertThat(second.sent).containsExactly(new MessageToAgent.Welcome(secondSession));
    }

    @Test
    @DisplayName("C14: a command for a superseded session is dropped")
    void dropsACommandForASupersededSession() {
        String secondSession = connect(2, second);
        assertThat(table.deliver(NODE.id(), firstSession, WORK)).isFalse();
        assertThat(second.sent).containsExactly(new MessageToAgent.Welcome(secondSession));
    }

    @Test
    @DisplayName("C14: a command that a slow stream has not taken ends with its session")
    void dropsMessagesThatASlowStreamHasNotSent() {
        first.ready = false;
        assertThat(table.deliver(NODE.id(), firstSession, WORK)).isTrue();
        String secondSession = connect(2, second);
        assertThat(first.sent).containsExactly(new MessageToAgent.Welcome(firstSession));
        assertThat(second.sent).containsExactly(new MessageToAgent.Welcome(secondSession));
        assertThat(table.deliver(NODE.id(), secondSession, WORK)).isTrue();
        assertThat(second.sent).containsExactly(new MessageToAgent.Welcome(secondSession), WORK);
    }

    private record Text(String text) implements OpaqueMessage {
        @Override
        public int bytes() {
            return text.length();
        }
    }

    /** Records what the gateway writes to one agent. */
    private static final class RecordingStream implements StreamToAgent {
        private final List<MessageToAgent> sent = new ArrayList<>();
        private boolean ready = true;

        @Override
        public boolean isReady() {
            return ready;
        }

        @Override
        public void send(MessageToAgent outgoing) {
            sent.add(outgoing);
        }

        @Override
        public void end(Refused reason) {}
    }
}
