package drover.opsagent.peers;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Where a gateway is: {@code host:port} or {@code in-process:name}. */
public record GatewayAddress(String text) {
    private static final String IN_PROCESS = "in-process:";
    private static final int KEEPALIVE_SECONDS = 30; // gateways permit 20 s
    private static final int LARGEST_MESSAGE = 1 << 20; // a command with 512 KiB of contents

    /**
     * Refuses, with one sentence, anything else.
     *
     * @throws IllegalArgumentException with that sentence
     */
    public GatewayAddress {
        boolean inProcess = text.startsWith(IN_PROCESS) && text.length() > IN_PROCESS.length();
        if (!inProcess && !text.matches("[^\\s:]+:[0-9]{1,5}|\\[[0-9a-fA-F:]+\\]:[0-9]{1,5}")) {
            throw new IllegalArgumentException(
                    "'" + text + "' is no address: write host:port, for example 127.0.0.1:9090");
        }
    }

    /**
     * Reads addresses that stand one by one or with commas between them; each counts once.
     *
     * @throws IllegalArgumentException with one sentence that names what is no address
     */
    public static List<GatewayAddress> parseAll(List<String> texts) {
        return texts.stream()
                .flatMap(text -> Stream.of(text.split(",", -1)))
                .map(text -> new GatewayAddress(text.strip()))
                .distinct()
                .toList();
    }

    /** A plain channel to it. */
    ManagedChannel openChannel() {
        return openChannel(InsecureChannelCredentials.create());
    }

    /** A channel to it. Callbacks run on the transport's threads, so none may block. */
    public ManagedChannel openChannel(ChannelCredentials credentials) {
        ManagedChannelBuilder<?> builder =
                text.startsWith(IN_PROCESS)
                        ? InProcessChannelBuilder.forName(text.substring(IN_PROCESS.length()))
                        : NettyChannelBuilder.forTarget("dns:///" + text, credentials)
                                .keepAliveTime(KEEPALIVE_SECONDS, TimeUnit.SECONDS);
        return builder.directExecutor().maxInboundMessageSize(LARGEST_MESSAGE).build();
    }

    @Override
    public String toString() {
        return text;
    }
}
