package drover.bench.agent;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.Hello;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.CountDownLatch;

/**
 * The limit of an agent: dials, says hello, is welcomed, and beats; downloads one file when it is
 * told of one. Nothing else, not even the file's digest.
 */
public final class BareClientMain {
    private static final long BEAT_MILLIS = 30_000;

    private BareClientMain() {}

    /** {@code HOST:PORT}, and a file to put downloads into. */
    public static void main(String[] arguments) throws InterruptedException {
        ManagedChannel channel =
                NettyChannelBuilder.forTarget("dns:///" + arguments[0])
                        .usePlaintext()
                        .directExecutor()
                        .build();
        Client client = new Client(Path.of(arguments[1]));
        StreamObserver<ConnectRequest> call = AgentServiceGrpc.newStub(channel).connect(client);
        call.onNext(ConnectRequest.newBuilder().setHello(Hello.getDefaultInstance()).build());
        while (!client.ended.await(BEAT_MILLIS, java.util.concurrent.TimeUnit.MILLISECONDS)) {
            call.onNext(
                    ConnectRequest.newBuilder()
                            .setHeartbeat(Heartbeat.getDefaultInstance())
                            .build());
        }
    }

    /** One stream. A command's body is the address of a file. */
    private record Client(Path file, CountDownLatch ended)
            implements StreamObserver<ConnectResponse> {
        Client(Path file) {
            this(file, new CountDownLatch(1));
        }

        @Override
        public void onNext(ConnectResponse message) {
            if (message.hasCommand()) {
                String address = message.getCommand().getBody().toStringUtf8();
                Thread.ofVirtual().start(() -> download(address));
            }
        }

        private void download(String address) {
            try (InputStream in = URI.create(address).toURL().openStream()) {
                Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
            } catch (java.io.IOException e) {
                System.err.println("The bare download broke: " + e.getMessage());
            }
        }

        @Override
        public void onError(Throwable failure) {
            ended.countDown();
        }

        @Override
        public void onCompleted() {
            ended.countDown();
        }
    }
}
