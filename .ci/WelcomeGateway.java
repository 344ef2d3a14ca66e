import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Welcome;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Welcomes the agent whose start is prepared, and nothing more. Run from its source with the agent's
 * jar as class path; writes its port into the file that is named, and lives until it is killed.
 */
final class WelcomeGateway extends AgentServiceGrpc.AgentServiceImplBase {
    public static void main(String[] arguments) throws Exception {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        Server server = NettyServerBuilder.forAddress(any).addService(new WelcomeGateway()).build();
        server.start();
        Path half = Path.of(arguments[0] + ".new");
        Files.writeString(half, Integer.toString(server.getPort()));
        Files.move(half, Path.of(arguments[0]));
        server.awaitTermination();
    }

    @Override
    public StreamObserver<ConnectRequest> connect(StreamObserver<ConnectResponse> agent) {
        return new StreamObserver<>() {
            @Override
            public void onNext(ConnectRequest message) {
                if (message.hasHello()) {
                    agent.onNext(
                            ConnectResponse.newBuilder()
                                    .setWelcome(Welcome.newBuilder().setNodeId("prepared"))
                                    .build());
                }
            }

            @Override
            public void onError(Throwable failure) {}

            @Override
            public void onCompleted() {
                agent.onCompleted();
            }
        };
    }
}
