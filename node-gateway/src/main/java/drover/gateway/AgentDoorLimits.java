package drover.gateway;

import drover.kit.start.Setting;
import drover.kit.start.Settings;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What whoever dials the agents' door may take of a gateway (invariants H9, I3, I4). A connection
 * that takes more is ended, and no other: the numbers are far from what an agent ever needs.
 *
 * @param message largest message, in bytes
 * @param metadata largest metadata of a call, in bytes
 * @param window what may lie unread of one connection, in bytes
 * @param calls how many calls a connection may have at a time; further ones wait
 * @param resets how many calls it may begin and abandon in {@code resetsWithin}
 * @param resetsWithin after which abandoned calls are counted anew; whole seconds, nobody sets it
 * @param pings the shortest time between two pings of a connection with a call
 * @param handshake the longest time until a connection is ready for its first call
 * @param connections how fast they come and how long they last
 */
public record AgentDoorLimits(
        int message,
        int metadata,
        int window,
        int calls,
        int resets,
        Duration resetsWithin,
        Duration pings,
        Duration handshake,
        ConnectionLimits connections) {
    /** Agents ping every 30 s, and say hello with some kibibytes. */
    private static final Duration LONGEST_BETWEEN_PINGS = Duration.ofSeconds(25);

    private static final int LEAST_MESSAGE = 64 * 1024;
    private static final int LEAST_METADATA = 1024;
    private static final int LEAST_WINDOW = 16 * 1024;
    private static final int LEAST_CALLS = 2; // its stream, and the renewal of its certificate

    /**
     * Four times the largest status with its Hello; one stream, health, reflection and one to
     * spare.
     */
    public static final AgentDoorLimits STANDARD =
            new AgentDoorLimits(
                    256 * 1024,
                    8 * 1024,
                    64 * 1024,
                    4,
                    100,
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(10),
                    ConnectionLimits.STANDARD);

    static final List<Setting> SETTINGS = settings(STANDARD);

    /** As somebody who sets none finds them. */
    private static List<Setting> settings(AgentDoorLimits usual) {
        return List.of(
                setting("max-message", "BYTES", "Largest message of an agent.", usual.message),
                setting("max-metadata", "BYTES", "Largest metadata of a call.", usual.metadata),
                setting("max-unread", "BYTES", "What may lie unread of an agent.", usual.window),
                setting("max-calls", "COUNT", "Calls of one agent at a time.", usual.calls),
                setting(
                        "max-resets",
                        "COUNT",
                        "Calls an agent may abandon in a minute.",
                        usual.resets),
                setting(
                        "min-ping",
                        "SECONDS",
                        "Shortest time between an agent's pings.",
                        usual.pings.toSeconds()),
                setting(
                        "max-handshake",
                        "SECONDS",
                        "Time to become a connection.",
                        usual.handshake.toSeconds()));
    }

    /** Refuses, with one sentence, what no agent could live with. */
    public AgentDoorLimits {
        atLeast("max-message", message, LEAST_MESSAGE);
        atLeast("max-metadata", metadata, LEAST_METADATA);
        atLeast("max-unread", window, LEAST_WINDOW);
        atLeast("max-calls", calls, LEAST_CALLS);
        if (pings.compareTo(LONGEST_BETWEEN_PINGS) > 0) {
            throw new IllegalArgumentException(
                    "--min-ping is %d: agents ping every 30 seconds; write %d or less."
                            .formatted(pings.toSeconds(), LONGEST_BETWEEN_PINGS.toSeconds()));
        }
    }

    private static void atLeast(String flag, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(
                    "--%s is %d, and no agent could work with that: write %d or more."
                            .formatted(flag, value, least));
        }
    }

    private static Setting setting(String flag, String value, String help, long standard) {
        return Setting.of(flag, value, help, Long.toString(standard));
    }

    /** As somebody set them. */
    static AgentDoorLimits of(Settings settings) {
        return new AgentDoorLimits(
                settings.positive("max-message"),
                settings.positive("max-metadata"),
                settings.positive("max-unread"),
                settings.positive("max-calls"),
                settings.positive("max-resets"),
                STANDARD.resetsWithin, // --max-resets says "in a minute"
                Duration.ofSeconds(settings.positive("min-ping")),
                Duration.ofSeconds(settings.positive("max-handshake")),
                ConnectionLimits.of(settings));
    }

    /** Sets them on a real port. */
    void limit(NettyServerBuilder builder) {
        builder.maxInboundMessageSize(message)
                .maxInboundMetadataSize(metadata)
                .flowControlWindow(window)
                .maxConcurrentCallsPerConnection(calls)
                .maxRstFramesPerWindow(resets, (int) resetsWithin.toSeconds())
                .permitKeepAliveTime(pings.toMillis(), TimeUnit.MILLISECONDS)
                .handshakeTimeout(handshake.toMillis(), TimeUnit.MILLISECONDS);
        connections.limit(builder);
    }
}
