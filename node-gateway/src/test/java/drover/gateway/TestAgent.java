package drover.gateway;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.AttemptOutcome;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.Hello;
import drover.agent.v1.ProgramHealth;
import drover.agent.v1.ProgramReport;
import drover.gateway.api.NodeTokenInterceptor;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;

/** An agent as the door sees it. */
public final class TestAgent {
    public final StreamRecorder<ConnectRequest, ConnectResponse> received;
    private final StreamObserver<ConnectRequest> requests;

    private TestAgent(
            Channel channel, String token, StreamRecorder<ConnectRequest, ConnectResponse> to) {
        this(channel, token, new Metadata(), to);
    }

    private TestAgent(
            Channel channel,
            String token,
            Metadata headers,
            StreamRecorder<ConnectRequest, ConnectResponse> to) {
        headers.put(NodeTokenInterceptor.TOKEN, token);
        this.received = to;
        this.requests =
                AgentServiceGrpc.newStub(channel)
                        .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers))
                        .connect(to);
    }

    public static TestAgent connect(Channel channel, String token) {
        return new TestAgent(channel, token, StreamRecorder.reading());
    }

    /** With a header of so many bytes beside its token. */
    static TestAgent connectWithWindow(int bytes, Channel channel, String token) {
        Metadata headers = new Metadata();
        headers.put(
                Metadata.Key.of("ballast", Metadata.ASCII_STRING_MARSHALLER), "x".repeat(bytes));
        return new TestAgent(channel, token, headers, StreamRecorder.reading());
    }

    static TestAgent connectWithoutReading(Channel channel, String token) {
        return new TestAgent(channel, token, StreamRecorder.notReading());
    }

    public static Hello.Builder hello(long incarnation, long connectionNumber) {
        return Hello.newBuilder()
                .setAgentVersion("0.1.0")
                .setProtocol(1)
                .setIncarnation(incarnation)
                .setConnectionNumber(connectionNumber)
                .setExecutor(true)
                .setRuntime("simulated")
                .setPlatform("linux/amd64")
                .addPrograms(
                        ProgramReport.newBuilder()
                                .setName("chain")
                                .setVersion("v1")
                                .setRunningDigest("sha256:1")
                                .setRunning(true)
                                .setRunId("run-1"));
    }

    public static AttemptStatus status(long attempt, long sequence, AttemptOutcome outcome) {
        return AttemptStatus.newBuilder()
                .setAttempt(attempt)
                .setSequence(sequence)
                .setOutcome(outcome)
                .setProgram("chain")
                .setRunId("run-2")
                .setRunningDigest("sha256:2")
                .build();
    }

    public static Heartbeat heartbeat(long attempt, String runId, String digest, String version) {
        return Heartbeat.newBuilder()
                .setAttempt(attempt)
                .addPrograms(
                        ProgramHealth.newBuilder()
                                .setName("chain")
                                .setRunId(runId)
                                .setRunningDigest(digest)
                                .setVersion(version))
                .build();
    }

    public TestAgent send(Hello.Builder hello) {
        return send(ConnectRequest.newBuilder().setHello(hello).build());
    }

    public TestAgent send(AttemptStatus status) {
        return send(ConnectRequest.newBuilder().setStatus(status).build());
    }

    public TestAgent send(Heartbeat heartbeat) {
        return send(ConnectRequest.newBuilder().setHeartbeat(heartbeat).build());
    }

    public TestAgent send(ConnectRequest request) {
        requests.onNext(request);
        return this;
    }

    /** Waits for the Welcome; the session. */
    public String session() {
        return received.awaitMessage(ConnectResponse::hasWelcome).getWelcome().getSessionId();
    }

    public void hangsUp() {
        requests.onCompleted();
    }
}
