package drover.kit.grpc;

import drover.kit.config.SettingDefinition;
import drover.kit.config.Settings;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Limits of a gRPC endpoint that strangers can reach: the agents', the operators' and the one for
 * enrollment (invariants H9, I3, I4). The server closes a connection that exceeds a limit, and no
 * other one.
 *
 * @param maxMessageBytes largest message, in bytes
 * @param maxMetadataBytes largest metadata of a call, in bytes
 * @param windowBytes unread bytes of one connection
 * @param maxCalls concurrent calls of a connection; further ones wait
 * @param maxResets calls that a connection may start and cancel in {@code resetInterval}
 * @param resetInterval whole seconds; not a setting
 * @param minPingInterval shortest time between two pings of a connection with a call
 * @param handshakeTimeout longest time until a connection is ready for its first call
 * @param rate rate limit of one agent's stream; other endpoints do not use it
 * @param connections rate, number and lifetime of connections
 */
public record EndpointLimits(
        int maxMessageBytes,
        int maxMetadataBytes,
        int windowBytes,
        int maxCalls,
        int maxResets,
        Duration resetInterval,
        Duration minPingInterval,
        Duration handshakeTimeout,
        StreamRateLimiter.Limits rate,
        ConnectionLimits connections) {
    /** Agents ping every 30 s, and say hello with some kibibytes. */
    private static final Duration MAX_PING_INTERVAL = Duration.ofSeconds(25);

    private static final int MIN_MESSAGE_BYTES = 64 * 1024;
    private static final int MIN_METADATA_BYTES = 1024;
    private static final int MIN_WINDOW_BYTES = 16 * 1024;
    private static final int MIN_MESSAGE_RATE = 5; // per second
    private static final int MIN_BYTE_RATE = 16 * 1024;
    private static final int MIN_CALLS = 2; // its stream, and the renewal of its certificate

    /**
     * The largest message is a Hello of 252 KiB; one stream, health, reflection and one to spare.
     */
    public static final EndpointLimits AGENTS =
            new EndpointLimits(
                    256 * 1024,
                    8 * 1024,
                    64 * 1024,
                    4,
                    100,
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(10),
                    StreamRateLimiter.Limits.STANDARD,
                    ConnectionLimits.AGENTS);

    /** The largest request is a manifest to validate; a dashboard has some streams. */
    public static final EndpointLimits OPERATORS =
            new EndpointLimits(
                    4 * 1024 * 1024,
                    8 * 1024,
                    1024 * 1024,
                    64,
                    100,
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(10),
                    StreamRateLimiter.Limits.STANDARD,
                    ConnectionLimits.OPERATORS);

    /** One call with at most 4 KiB. */
    public static final EndpointLimits ENROLLMENT =
            new EndpointLimits(
                    16 * 1024,
                    16 * 1024,
                    64 * 1024,
                    2,
                    20,
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(10),
                    StreamRateLimiter.Limits.STANDARD,
                    ConnectionLimits.ENROLLMENT);

    /** Settings of the agents' endpoints, without those of {@link ConnectionLimits}. */
    public static final List<SettingDefinition> AGENT_SETTINGS = declareSettings(AGENTS);

    private static List<SettingDefinition> declareSettings(EndpointLimits usual) {
        return List.of(
                limitSetting(
                        "max-message",
                        "BYTES",
                        "Largest message of an agent.",
                        usual.maxMessageBytes),
                limitSetting(
                        "max-metadata",
                        "BYTES",
                        "Largest metadata of a call.",
                        usual.maxMetadataBytes),
                limitSetting(
                        "max-unread",
                        "BYTES",
                        "What may lie unread of an agent.",
                        usual.windowBytes),
                limitSetting("max-calls", "COUNT", "Calls of one agent at a time.", usual.maxCalls),
                limitSetting(
                        "max-resets",
                        "COUNT",
                        "Calls an agent may abandon in a minute.",
                        usual.maxResets),
                limitSetting(
                        "min-ping",
                        "SECONDS",
                        "Shortest time between an agent's pings.",
                        usual.minPingInterval.toSeconds()),
                limitSetting(
                        "max-handshake",
                        "SECONDS",
                        "Time to become a connection.",
                        usual.handshakeTimeout.toSeconds()),
                limitSetting(
                        "max-message-rate",
                        "COUNT",
                        "Messages per second of one agent.",
                        usual.rate.messages()),
                limitSetting(
                        "max-byte-rate",
                        "BYTES",
                        "Bytes per second of one agent.",
                        usual.rate.bytes()),
                limitSetting(
                        "max-call-rate",
                        "COUNT",
                        "Calls per second of one node.",
                        usual.rate.calls()));
    }

    /** Rejects, with one sentence, a limit that no agent can work with. */
    private EndpointLimits requireUsableByAgents() {
        requireMinimum("max-message", maxMessageBytes, MIN_MESSAGE_BYTES);
        requireMinimum("max-metadata", maxMetadataBytes, MIN_METADATA_BYTES);
        requireMinimum("max-unread", windowBytes, MIN_WINDOW_BYTES);
        requireMinimum("max-calls", maxCalls, MIN_CALLS);
        requireMinimum("max-message-rate", rate.messages(), MIN_MESSAGE_RATE);
        requireMinimum("max-byte-rate", rate.bytes(), MIN_BYTE_RATE);
        if (minPingInterval.compareTo(MAX_PING_INTERVAL) > 0) {
            throw new IllegalArgumentException(
                    "--min-ping is %d: agents ping every 30 seconds; write %d or less."
                            .formatted(minPingInterval.toSeconds(), MAX_PING_INTERVAL.toSeconds()));
        }
        return this;
    }

    private static void requireMinimum(String flag, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(
                    "--%s is %d, and no agent could work with that: write %d or more."
                            .formatted(flag, value, least));
        }
    }

    private static SettingDefinition limitSetting(
            String flag, String value, String help, long standard) {
        return SettingDefinition.of(flag, value, help, Long.toString(standard));
    }

    /** The agents' limits as they are set. */
    public static EndpointLimits ofAgents(Settings settings) {
        return new EndpointLimits(
                        settings.positiveInt("max-message"),
                        settings.positiveInt("max-metadata"),
                        settings.positiveInt("max-unread"),
                        settings.positiveInt("max-calls"),
                        settings.positiveInt("max-resets"),
                        AGENTS.resetInterval, // --max-resets says "in a minute"
                        Duration.ofSeconds(settings.positiveInt("min-ping")),
                        Duration.ofSeconds(settings.positiveInt("max-handshake")),
                        new StreamRateLimiter.Limits(
                                settings.positiveInt("max-message-rate"),
                                settings.positiveInt("max-byte-rate"),
                                settings.positiveInt("max-call-rate")),
                        ConnectionLimits.ofAgents(settings))
                .requireUsableByAgents();
    }

    /** The operators' limits as they are set. */
    public static EndpointLimits ofOperators(Settings settings) {
        return OPERATORS.with(ConnectionLimits.ofOperators(settings));
    }

    /** The same with other limits of connections. */
    public EndpointLimits with(ConnectionLimits others) {
        return new EndpointLimits(
                maxMessageBytes,
                maxMetadataBytes,
                windowBytes,
                maxCalls,
                maxResets,
                resetInterval,
                minPingInterval,
                handshakeTimeout,
                rate,
                others);
    }

    /**
     * A limiter of new connections.
     *
     * @param endpoint its name in the log
     * @param rejected runs for each rejected connection
     */
    public ConnectionRateAndCountLimiter createRateLimiter(String endpoint, Runnable rejected) {
        return new ConnectionRateAndCountLimiter(endpoint, connections, System::nanoTime, rejected);
    }

    /** Sets them on a real port. */
    void applyTo(NettyServerBuilder builder) {
        builder.maxInboundMessageSize(maxMessageBytes)
                .maxInboundMetadataSize(maxMetadataBytes)
                .flowControlWindow(windowBytes)
                .maxConcurrentCallsPerConnection(maxCalls)
                .maxRstFramesPerWindow(maxResets, (int) resetInterval.toSeconds())
                .permitKeepAliveTime(minPingInterval.toMillis(), TimeUnit.MILLISECONDS)
                .handshakeTimeout(handshakeTimeout.toMillis(), TimeUnit.MILLISECONDS);
        connections.applyTo(builder);
    }
}
