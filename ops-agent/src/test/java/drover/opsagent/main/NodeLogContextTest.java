package drover.opsagent.main;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Welcome;
import drover.opsagent.disk.SimulatedDisk;
import drover.opsagent.fetch.SimulatedFetcher;
import drover.opsagent.peers.NodeLogContext;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Log lines of several agents in one process name their nodes. */
class NodeLogContextTest {
    private static final Logger AGENT = (Logger) LoggerFactory.getLogger("drover.opsagent");
    private static final String OF_GRPC_THREAD =
            "The gateway says something that this agent does not know; ignored";

    private final Level level = AGENT.getLevel();
    private final LineRecorder lines = new LineRecorder();

    /** A line and the node that it names. */
    private record Line(String node, String message) {}

    private static final class LineRecorder extends AppenderBase<ILoggingEvent> {
        private final List<Line> seen = new CopyOnWriteArrayList<>();

        @Override
        protected void append(ILoggingEvent event) {
            String node = event.getMDCPropertyMap().getOrDefault("nodeId", "");
            seen.add(new Line(node, event.getMessage()));
        }

        boolean has(String node, String message) {
            return seen.stream()
                    .anyMatch(it -> it.node().equals(node) && it.message().startsWith(message));
        }
    }

    @BeforeEach
    void recordLines() {
        lines.start();
        AGENT.setLevel(Level.INFO);
        AGENT.addAppender(lines);
    }

    @AfterEach
    void stopRecording() {
        AGENT.detachAppender(lines);
        AGENT.setLevel(level);
    }

    @Test
    void everyLineNamesTheNodeThatTheStarterKnows() throws IOException {
        String node = "node-" + UUID.randomUUID();
        try (ScriptedGateway gateway = new ScriptedGateway(node)) {
            gateway.greet(Welcome.newBuilder().setNodeId(node));
            OpsAgent agent = NodeLogContext.call(node, () -> startAgent(node));
            await().atMost(Waits.LIMIT).until(() -> lines.has(node, "Session opened"));
            gateway.sendMessage(ConnectResponse.getDefaultInstance());
            await().atMost(Waits.LIMIT).until(() -> lines.has(node, OF_GRPC_THREAD));
            agent.close();
        }
        assertThat(lines.has(node, "Agent started")).isTrue();
        assertThat(lines.has(node, "Agent closed")).isTrue();
        assertThat(NodeLogContext.current()).as("the starter's own lines").isEmpty();
    }

    @Test
    void linesNameTheNodeAsSoonAsAGatewayDoes() throws IOException {
        String node = "node-" + UUID.randomUUID();
        try (ScriptedGateway gateway = new ScriptedGateway(node)) {
            gateway.greet(Welcome.newBuilder().setNodeId(node));
            OpsAgent agent = startAgent(node);
            await().atMost(Waits.LIMIT).until(() -> lines.has(node, "Session opened"));
            gateway.sendMessage(ConnectResponse.getDefaultInstance());
            await().atMost(Waits.LIMIT).until(() -> lines.has(node, OF_GRPC_THREAD));
            agent.close();
        }
        assertThat(lines.has(node, "Agent closed")).isTrue();
    }

    @Test
    void aTextThatIsNoNodeIdDoesNotReachTheLog() {
        NodeLogContext.run("a b\n2026 ERROR", () -> assertThat(NodeLogContext.current()).isEmpty());
    }

    private static OpsAgent startAgent(String address) {
        SimulatedDisk disk = EmptyNode.disk();
        return OpsAgent.start(
                EmptyNode.config(address, Duration.ofSeconds(1)),
                OpsAgent.Dependencies.simulated(
                        disk,
                        EmptyNode.processes(disk),
                        new SimulatedFetcher(Map.of()),
                        new Random(1)));
    }
}
