package drover.bench.baseline;

import drover.agent.v1.AgentServiceGrpc;
import drover.agent.v1.AttemptStatus;
import drover.agent.v1.ConnectRequest;
import drover.agent.v1.ConnectResponse;
import drover.agent.v1.Hello;
import drover.kit.config.SettingDefinition;
import drover.kit.config.Settings;
import drover.kit.tls.ReloadingIdentity;
import drover.kit.tls.TlsCredentials;
import drover.kit.tls.TlsFiles;
import drover.trust.identity.PeerRule;
import drover.trust.identity.SpiffeId;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The agents' side of {@link StreamBaseline}: answers each command with so many statuses. */
public final class StreamClientsMain {
    private static final Logger LOG = LoggerFactory.getLogger(StreamClientsMain.class);

    private static final List<SettingDefinition> SETTINGS =
            List.of(
                    SettingDefinition.required("server", "HOST:PORT", "Where they dial."),
                    SettingDefinition.required("agents", "N", "How many streams there are."),
                    SettingDefinition.required("per-connection", "N", "Streams of one connection."),
                    SettingDefinition.required("statuses", "N", "Answers to each command."),
                    SettingDefinition.required("status-bytes", "N", "Size of an answer."),
                    SettingDefinition.of(
                            "tells-receipt",
                            "true|false",
                            "Whether an answer says when its command came.",
                            "false"),
                    SettingDefinition.of(
                            "tls", "DIR", "What they all show; without, they show none.", ""));

    private static final InstantSource CLOCK = InstantSource.system();

    private StreamClientsMain() {}

    /** All flags of {@link StreamBaseline}; runs until it is killed. */
    public static void main(String[] arguments) throws InterruptedException {
        Settings settings = Settings.read("streams", SETTINGS, arguments, Map.of());
        int agents = number(settings, "agents");
        int perConnection = number(settings, "per-connection");
        List<ConnectRequest> statuses =
                statuses(number(settings, "statuses"), number(settings, "status-bytes"));
        boolean sendsReceipt = Boolean.parseBoolean(settings.get("tells-receipt"));
        Optional<ReloadingIdentity> identity =
                Optional.of(settings.get("tls"))
                        .filter(directory -> !directory.isEmpty())
                        .map(directory -> TlsFiles.in(Path.of(directory)))
                        .map(
                                files ->
                                        ReloadingIdentity.open(
                                                files, ReloadingIdentity.DEFAULT_RELOAD_INTERVAL));
        List<ManagedChannel> channels = new ArrayList<>();
        for (int agent = 0; agent < agents; agent++) {
            if (agent % perConnection == 0) {
                channels.add(channel(settings.get("server"), identity));
            }
            AgentServiceGrpc.newStub(channels.getLast())
                    .connect(new Client(statuses, sendsReceipt));
        }
        new CountDownLatch(1).await();
    }

    private static int number(Settings settings, String name) {
        return Integer.parseInt(settings.get(name));
    }

    /** As the product's agent opens it. */
    private static ManagedChannel channel(String server, Optional<ReloadingIdentity> identity) {
        ChannelCredentials credentials =
                identity.map(StreamClientsMain::tlsCredentials)
                        .orElseGet(InsecureChannelCredentials::create);
        return NettyChannelBuilder.forTarget("dns:///" + server, credentials)
                .directExecutor()
                .build();
    }

    private static ChannelCredentials tlsCredentials(ReloadingIdentity own) {
        SpiffeId name = SpiffeId.of(own.material().leaf());
        return TlsCredentials.channelCredentials(own, PeerRule.ofServices(name.domain(), "bare"));
    }

    private static List<ConnectRequest> statuses(int count, int bytes) {
        List<ConnectRequest> statuses = new ArrayList<>();
        for (int sequence = 1; sequence <= count; sequence++) {
            statuses.add(
                    ConnectRequest.newBuilder()
                            .setStatus(
                                    AttemptStatus.newBuilder()
                                            .setAttempt(1)
                                            .setSequence(sequence)
                                            .setLogTail("x".repeat(bytes)))
                            .build());
        }
        return List.copyOf(statuses);
    }

    /** One stream. */
    private static final class Client
            implements ClientResponseObserver<ConnectRequest, ConnectResponse> {
        private final List<ConnectRequest> statuses;
        private final boolean sendsReceipt;
        private @org.jspecify.annotations.Nullable ClientCallStreamObserver<ConnectRequest> call;

        Client(List<ConnectRequest> statuses, boolean sendsReceipt) {
            this.statuses = statuses;
            this.sendsReceipt = sendsReceipt;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<ConnectRequest> stream) {
            call = stream;
            boolean[] greeted = {false};
            stream.setOnReadyHandler(
                    () -> {
                        if (!greeted[0]) {
                            greeted[0] = true;
                            stream.onNext(
                                    ConnectRequest.newBuilder()
                                            .setHello(Hello.getDefaultInstance())
                                            .build());
                        }
                    });
        }

        @Override
        public void onNext(ConnectResponse message) {
            if (message.hasCommand() && call != null) {
                Instant received = CLOCK.instant(); // before anything else is done
                for (ConnectRequest status : statuses) { // some KiB: less than a stream's window
                    call.onNext(sendsReceipt ? withReceiveTime(received, status) : status);
                }
            }
        }

        private static ConnectRequest withReceiveTime(Instant received, ConnectRequest status) {
            ConnectRequest.Builder sent = status.toBuilder();
            sent.getStatusBuilder().setDetail(received.toString());
            return sent.build();
        }

        @Override
        public void onError(Throwable failure) {
            LOG.warn("A bare stream ended reason={}", failure.getMessage());
        }

        @Override
        public void onCompleted() {
            // the server is done
        }
    }
}
