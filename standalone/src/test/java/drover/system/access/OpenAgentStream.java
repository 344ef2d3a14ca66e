package drover.system.access;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Hello;
import drover.opsagent.peers.GatewayAddress;
import drover.opsagent.peers.NodeCredential;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.CompletableFuture;

/** An agent's stream that stays until somebody ends it: of an agent that never renews anything. */
final class OpenAgentStream implements AutoCloseable {
    private final ManagedChannel channel;
    private final CompletableFuture<String> answer = new CompletableFuture<>();
    private final CompletableFuture<String> end = new CompletableFuture<>();

    private OpenAgentStream(ManagedChannel channel) {
        this.channel = channel;
    }

    /** Dials as the executor of this start. */
    static OpenAgentStream connect(
            GatewayAddress gateway, NodeCredential credential, long incarnation) {
        NodeCredential.PreparedConnection made = credential.prepareConnection(gateway);
        OpenAgentStream held = new OpenAgentStream(made.channel());
        AgentServiceGrpc.newStub(made.channel())
                .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(made.headers()))
                .connect(held.new Ear())
                .onNext(
                        ConnectRequest.newBuilder()
                                .setHello(
                                        Hello.newBuilder()
                                                .setAgentVersion("1.0.0")
                                                .setProtocol(1)
                                                .setIncarnation(incarnation)
                                                .setConnectionNumber(1)
                                                .setExecutor(true)
                                                .setNodeId(made.node()))
                                .build());
        return held;
    }

    /** Empty once it is welcome, else why it is not. */
    CompletableFuture<String> answer() {
        return answer;
    }

    /** Why the gateway ended it. */
    CompletableFuture<String> end() {
        return end;
    }

    private final class Ear implements StreamObserver<ConnectResponse> {
        @Override
        public void onNext(ConnectResponse message) {
            answer.complete(message.hasWelcome() ? "" : "no welcome");
        }

        @Override
        public void onError(Throwable failure) {
            over(String.valueOf(Status.fromThrowable(failure).getDescription()));
        }

        @Override
        public void onCompleted() {
            over("it hung up");
        }

        private void over(String why) {
            answer.complete(why);
            end.complete(why);
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
