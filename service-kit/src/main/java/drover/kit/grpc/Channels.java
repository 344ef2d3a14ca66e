package drover.kit.grpc;

import io.grpc.ChannelCredentials;
import io.grpc.ClientInterceptor;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Opens channels to doors. */
public final class Channels {
    private static final int KEEPALIVE_SECONDS = 30; // servers permit 20 s; see GrpcServer
    private static final int TAKEN_MILLIS = 10_000; // by an address; SYN is sent again at 1, 3, 7 s
    private static final Duration REACHED = Duration.ofSeconds(30); // else it is dialled anew

    /** Whoever is dialled anew begins with another address: the first may be the mute one. */
    private static final Map<String, ?> ANY_ADDRESS_FIRST =
            Map.of(
                    "loadBalancingConfig",
                    List.of(Map.of("pick_first", Map.of("shuffleAddressList", true))));

    private Channels() {}

    /** A channel to a door; it connects when first used and again whenever the door comes back. */
    public static ManagedChannel open(Address address, ClientInterceptor... interceptors) {
        return open(address, InsecureChannelCredentials.create(), interceptors);
    }

    /** The same with both ends proven; a door inside this process has no connection to secure. */
    public static ManagedChannel open(
            Address address, ChannelCredentials credentials, ClientInterceptor... interceptors) {
        return open(address, credentials, REACHED, interceptors);
    }

    /**
     * The same with another bound.
     *
     * @param reached how long a door is dialled before that begins anew
     */
    static ManagedChannel open(
            Address address,
            ChannelCredentials credentials,
            Duration reached,
            ClientInterceptor... interceptors) {
        ManagedChannelBuilder<?> builder =
                switch (address) {
                    case Address.InProcess(String name) -> InProcessChannelBuilder.forName(name);
                    // By name, so that it is looked up again whenever the connection is lost.
                    case Address.Tcp(String host, int port) ->
                            NettyChannelBuilder.forAddress(host, port, credentials)
                                    .defaultServiceConfig(ANY_ADDRESS_FIRST)
                                    .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, TAKEN_MILLIS)
                                    .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS);
                };
        ManagedChannel channel =
                builder.intercept(interceptors)
                        .executor(Executors.newVirtualThreadPerTaskExecutor())
                        .build();
        ConnectTimeoutReconnector.watch(channel, reached);
        return channel;
    }
}
