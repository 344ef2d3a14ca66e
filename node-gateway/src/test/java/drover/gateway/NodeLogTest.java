package drover.gateway;

import static drover.gateway.GatewayFixture.token;
import static drover.gateway.TestAgent.hello;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.ProgramLog;
import drover.agent.v1.ReadLog;
import drover.kit.grpc.RefusalParser;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import drover.node.v1.NodeDirectoryServiceGrpc;
import drover.node.v1.ReadDirectoryNodeLogRequest;
import io.grpc.StatusRuntimeException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Logs of programs, read from the agents that are connected. */
class NodeLogTest {
    @AutoClose private final GatewayFixture fixture = GatewayFixture.inProcess("log");
    @AutoClose private final ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor();

    private TestAgent connect(String... features) {
        fixture.register("n1");
        TestAgent agent = TestAgent.connect(fixture.agents, token("n1"));
        agent.send(hello(1, 1).addAllFeatures(List.of(features))).session();
        return agent;
    }

    private CompletableFuture<String> read(String program) {
        return CompletableFuture.supplyAsync(() -> readNow(program), callers);
    }

    private String readNow(String program) {
        return NodeDirectoryServiceGrpc.newBlockingStub(fixture.internal)
                .readDirectoryNodeLog(
                        ReadDirectoryNodeLogRequest.newBuilder()
                                .setNodeId("n1")
                                .setProgram(program)
                                .build())
                .getText();
    }

    private static ReadLog request(TestAgent agent) {
        return agent.received.awaitMessage(ConnectResponse::hasReadLog).getReadLog();
    }

    private static void respond(TestAgent agent, ProgramLog.Builder log) {
        agent.send(ConnectRequest.newBuilder().setLog(log).build());
    }

    private Refused refusal(String program) {
        StatusRuntimeException failure =
                catchThrowableOfType(StatusRuntimeException.class, () -> readNow(program));
        return RefusalParser.from(failure).orElseThrow();
    }

    @Test
    void returnsTheOutputThatTheAgentRead() throws Exception {
        TestAgent agent = connect("log/1");
        CompletableFuture<String> text = read("chain");

        ReadLog request = request(agent);
        assertThat(request.getProgram()).isEqualTo("chain");
        respond(agent, ProgramLog.newBuilder().setRequestId("of another read").setText("stale"));
        respond(
                agent,
                ProgramLog.newBuilder()
                        .setRequestId(request.getRequestId())
                        .setText("height 7\n\u001b[2Jheight 8\n"));

        assertThat(text.get()).isEqualTo("height 7\n?[2Jheight 8\n");
    }

    @Test
    void returnsTheReasonOfTheAgent() {
        TestAgent agent = connect("log/1");
        CompletableFuture<String> text = read("chain");

        respond(
                agent,
                ProgramLog.newBuilder()
                        .setRequestId(request(agent).getRequestId())
                        .setDetail("The node has no such program; it has web."));

        ExecutionException failure = catchThrowableOfType(ExecutionException.class, text::get);
        assertThat(failure.getCause()).isInstanceOf(StatusRuntimeException.class);
        assertThat(
                        RefusalParser.from(
                                (StatusRuntimeException)
                                        Objects.requireNonNull(failure.getCause())))
                .hasValueSatisfying(
                        refused -> {
                            assertThat(refused.code()).isEqualTo(RefusalCode.LOG_UNAVAILABLE);
                            assertThat(refused)
                                    .hasMessage("The node has no such program; it has web.");
                        });
    }

    @Test
    void rejectsWhatNoAgentCanRead() {
        fixture.register("n1");
        assertThat(refusal("chain").code()).isEqualTo(RefusalCode.NODE_OFFLINE);
        assertThat(refusal("../chain").code()).isEqualTo(RefusalCode.INVALID_FIELD);

        connect("upgrade/1");
        assertThat(refusal("chain"))
                .hasMessage("The agent of node n1 cannot return logs; upgrade the agent.")
                .extracting(Refused::code)
                .isEqualTo(RefusalCode.LOG_UNAVAILABLE);
    }

    @Test
    void readsOneLogOfANodeAtATime() throws Exception {
        TestAgent agent = connect("log/1");
        CompletableFuture<String> text = read("chain");
        ReadLog request = request(agent);

        assertThat(refusal("other").code()).isEqualTo(RefusalCode.LOG_UNAVAILABLE);
        respond(
                agent,
                ProgramLog.newBuilder().setRequestId(request.getRequestId()).setText("up\n"));

        assertThat(text.get()).isEqualTo("up\n");
    }
}
