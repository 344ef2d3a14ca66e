package drover.gateway.engine.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.gateway.session.AgentMessage;
import drover.gateway.session.Inventory;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.OpaqueMessage;
import drover.kit.grpc.Refused;
import drover.model.ChainProfileId;
import drover.model.NodeId;
import drover.model.NodeType;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LogReadsTest {
    private static final NodeId NODE = new NodeId("n1");
    private static final BinaryName PROGRAM = new BinaryName("chain");

    private final SessionTable table = new SessionTable(() -> 0);
    private final List<AgentMessage> sent = new ArrayList<>();

    private void connect() {
        table.admit(
                new AgentHello(
                        new NodeIdentity(
                                NODE,
                                new ChainProfileId("harbour"),
                                new NodeType("edge"),
                                Map.of()),
                        1,
                        1,
                        true,
                        new Inventory(
                                "1", "process", "", List.of(NodeLogReader.FEATURE), 0, List.of()),
                        new Empty(),
                        Optional.empty()),
                new AgentOutboxWriter(new RecordingStream()));
    }

    @Test
    void endsAReadThatTheAgentDoesNotRespondTo() {
        connect();
        NodeLogReader reader = new NodeLogReader(table, Duration.ofMillis(1));

        assertThatThrownBy(() -> reader.read(NODE, PROGRAM))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("did not return the log");

        assertThatThrownBy(() -> reader.read(NODE, new BinaryName("other")))
                .as("the read of the other program has ended")
                .hasMessageContaining("did not return the log");
        assertThat(sent).hasSize(3).last().isInstanceOf(AgentMessage.ReadLog.class);
    }

    @Test
    void sharesAReadAndDropsResponsesAfterIts() {
        List<LogReads.Read> started = new ArrayList<>();
        LogReads reads = table.logReads();
        LogReads.Read first = reads.join(NODE, PROGRAM, started::add);
        LogReads.Read second = reads.join(NODE, PROGRAM, started::add);
        assertThat(second).isSameAs(first);
        assertThat(started).containsExactly(first);

        reads.complete(NODE, first.requestId(), "up", "");
        LogReads.Read third = reads.join(NODE, PROGRAM, started::add);
        reads.complete(NODE, first.requestId(), "again", "");

        assertThat(first.response()).isCompletedWithValue("up");
        assertThat(third.response()).isNotDone();
    }

    private record Empty() implements OpaqueMessage {
        @Override
        public int bytes() {
            return 0;
        }
    }

    /** Records what the gateway writes to the agent. */
    private final class RecordingStream implements AgentMessageStream {
        @Override
        public boolean ready() {
            return true;
        }

        @Override
        public void send(AgentMessage outgoing) {
            sent.add(outgoing);
        }

        @Override
        public void end(Refused reason) {}
    }
}
