package drover.bench.agent;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Heartbeat;
import drover.agent.v1.Hello;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
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

    /**
     * {@code HOST:PORT}, a file to put downloads into, and where both ends prove who they are the
     * directory with its certificate.
     */
    public static void main(String[] arguments) throws InterruptedException, IOException {
        ManagedChannel channel =
                NettyChannelBuilder.forTarget("dns:///" + arguments[0], credentials(arguments))
                        .directExecutor()
                        .build();
        DownloadingStreamObserver client = new DownloadingStreamObserver(Path.of(arguments[1]));
        StreamObserver<ConnectRequest> call = AgentServiceGrpc.newStub(channel).connect(client);
        call.onNext(ConnectRequest.newBuilder().setHello(Hello.getDefaultInstance()).build());
        while (!client.ended.await(BEAT_MILLIS, java.util.concurrent.TimeUnit.MILLISECONDS)) {
            call.onNext(
                    ConnectRequest.newBuilder()
                            .setHeartbeat(Heartbeat.getDefaultInstance())
                            .build());
        }
    }

    private static ChannelCredentials credentials(String[] arguments) throws IOException {
        if (arguments.length < 3) {
            return InsecureChannelCredentials.create();
        }
        Path directory = Path.of(arguments[2]);
        return TlsChannelCredentials.newBuilder()
                .keyManager(
                        directory.resolve("chain.pem").toFile(),
                        directory.resolve("key.pem").toFile())
                .trustManager(directory.resolve("trust.pem").toFile())
                .build();
    }

    /** One stream. A command's body is the address of a file. */
    private record DownloadingStreamObserver(Path file, CountDownLatch ended)
            implements StreamObserver<ConnectResponse> {
        DownloadingStreamObserver(Path file) {
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
            } catch (IOException e) {
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
