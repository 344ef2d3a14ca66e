package drover.gateway.engine.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.gateway.session.MessageToAgent;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeInventory;
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

class OutstandingLogReadsTest {
    private static final NodeId NODE = new NodeId("n1");
    private static final BinaryName PROGRAM = new BinaryName("chain");

    private final SessionTable table = new SessionTable(() -> 0);
    private final List<MessageToAgent> sent = new ArrayList<>();

    private String connect() {
        return table.admit(
                new AgentHello(
                        new NodeIdentity(
                                NODE,
                                new ChainProfileId("harbour"),
                                new NodeType("edge"),
                                Map.of()),
                        1,
                        1,
                        true,
                        new NodeInventory(
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
                .as("the read of the first program has ended")
                .hasMessageContaining("did not return the log");
        assertThat(sent).hasSize(3).last().isInstanceOf(MessageToAgent.ReadLog.class);
    }

    @Test
    void allCallersOfAReadGetItsResult() {
        OutstandingLogReads reads = table.logReads();
        OutstandingLogReads.JoinResult first = reads.join(NODE, PROGRAM);
        OutstandingLogReads.JoinResult second = reads.join(NODE, PROGRAM);
        assertThat(first.created()).isTrue();
        assertThat(second).isEqualTo(new OutstandingLogReads.JoinResult(first.read(), false));
        assertThatThrownBy(() -> reads.join(NODE, new BinaryName("other")))
                .hasMessageContaining("is being read");

        reads.complete(NODE, first.read().requestId(), "up", "");

        assertThat(second.read().result()).isCompletedWithValue("up");
    }

    @Test
    void dropsTheResponseToAnEarlierRead() {
        OutstandingLogReads reads = table.logReads();
        OutstandingLogReads.Read first = reads.join(NODE, PROGRAM).read();
        reads.fail(NODE, first, OutstandingLogReads.notConnected(NODE));
        OutstandingLogReads.Read second = reads.join(NODE, PROGRAM).read();

        reads.complete(NODE, first.requestId(), "late", "");

        assertThat(first.result()).isCompletedExceptionally();
        assertThat(second.result()).isNotDone();
    }

    @Test
    void endsTheReadOfASessionThatEnds() {
        String session = connect();
        OutstandingLogReads.Read read = table.logReads().join(NODE, PROGRAM).read();

        table.removeSession(NODE, session);

        assertThat(read.result().exceptionNow()).hasMessageContaining("is not connected");
        assertThat(table.logReads().join(NODE, PROGRAM).created()).isTrue();
    }

    private record Empty() implements OpaqueMessage {
        @Override
        public int bytes() {
            return 0;
        }
    }

    /** Records what the gateway writes to the agent. */
    private final class RecordingStream implements StreamToAgent {
        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void send(MessageToAgent outgoing) {
            sent.add(outgoing);
        }

        @Override
        public void end(Refused reason) {}
    }
}
