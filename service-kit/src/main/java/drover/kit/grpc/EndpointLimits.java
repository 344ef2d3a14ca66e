package drover.kit.grpc;

import drover.kit.start.Setting;
import drover.kit.start.Settings;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Limits of a gRPC endpoint that strangers can reach: the agents', the operators' and the one for
 * enrollment (invariants H9, I3, I4). The server closes a connection that exceeds a limit, and no
 * other one.
 *
 * @param message largest message, in bytes
 * @param metadata largest metadata of a call, in bytes
 * @param window unread bytes of one connection
 * @param calls concurrent calls of a connection; further ones wait
 * @param resets calls that a connection may start and cancel in {@code resetsWithin}
 * @param resetsWithin whole seconds; not a setting
 * @param pings shortest time between two pings of a connection with a call
 * @param handshake longest time until a connection is ready for its first call
 * @param rate rate limit of one agent's stream; other endpoints do not use it
 * @param connections rate, number and lifetime of connections
 */
public record EndpointLimits(
        int message,
        int metadata,
        int window,
        int calls,
        int resets,
        Duration resetsWithin,
        Duration pings,
        Duration handshake,
        StreamRate.Limits rate,
        ConnectionLimits connections) {
    /** Agents ping every 30 s, and say hello with some kibibytes. */
    private static final Duration LONGEST_BETWEEN_PINGS = Duration.ofSeconds(25);

    private static final int LEAST_MESSAGE = 64 * 1024;
    private static final int LEAST_METADATA = 1024;
    private static final int LEAST_WINDOW = 16 * 1024;
    private static final int LEAST_MESSAGE_RATE = 5; // per second
    private static final int LEAST_BYTE_RATE = 16 * 1024;
    private static final int LEAST_CALLS = 2; // its stream, and the renewal of its certificate

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
                    StreamRate.Limits.STANDARD,
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
                    StreamRate.Limits.STANDARD,
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
                    StreamRate.Limits.STANDARD,
                    ConnectionLimits.ENROLLMENT);

    /** Settings of the agents' endpoints, without those of {@link ConnectionLimits}. */
    public static final List<Setting> AGENT_SETTINGS = settings(AGENTS);

    private static List<Setting> settings(EndpointLimits usual) {
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
                        usual.handshake.toSeconds()),
                setting(
                        "max-message-rate",
                        "COUNT",
                        "Messages per second of one agent.",
                        usual.rate.messages()),
                setting(
                        "max-byte-rate",
                        "BYTES",
                        "Bytes per second of one agent.",
                        usual.rate.bytes()),
                setting(
                        "max-call-rate",
                        "COUNT",
                        "Calls per second of one node.",
                        usual.rate.calls()));
    }

    /** Rejects, with one sentence, a limit that no agent can work with. */
    private EndpointLimits usableByAgents() {
        atLeast("max-message", message, LEAST_MESSAGE);
        atLeast("max-metadata", metadata, LEAST_METADATA);
        atLeast("max-unread", window, LEAST_WINDOW);
        atLeast("max-calls", calls, LEAST_CALLS);
        atLeast("max-message-rate", rate.messages(), LEAST_MESSAGE_RATE);
        atLeast("max-byte-rate", rate.bytes(), LEAST_BYTE_RATE);
        if (pings.compareTo(LONGEST_BETWEEN_PINGS) > 0) {
            throw new IllegalArgumentException(
                    "--min-ping is %d: agents ping every 30 seconds; write %d or less."
                            .formatted(pings.toSeconds(), LONGEST_BETWEEN_PINGS.toSeconds()));
        }
        return this;
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

    /** The agents' limits as they are set. */
    public static EndpointLimits ofAgents(Settings settings) {
        return new EndpointLimits(
                        settings.positive("max-message"),
                        settings.positive("max-metadata"),
                        settings.positive("max-unread"),
                        settings.positive("max-calls"),
                        settings.positive("max-resets"),
                        AGENTS.resetsWithin, // --max-resets says "in a minute"
                        Duration.ofSeconds(settings.positive("min-ping")),
                        Duration.ofSeconds(settings.positive("max-handshake")),
                        new StreamRate.Limits(
                                settings.positive("max-message-rate"),
                                settings.positive("max-byte-rate"),
                                settings.positive("max-call-rate")),
                        ConnectionLimits.ofAgents(settings))
                .usableByAgents();
    }

    /** The operators' limits as they are set. */
    public static EndpointLimits ofOperators(Settings settings) {
        return OPERATORS.with(ConnectionLimits.ofOperators(settings));
    }

    /** The same with other limits of connections. */
    public EndpointLimits with(ConnectionLimits others) {
        return new EndpointLimits(
                message,
                metadata,
                window,
                calls,
                resets,
                resetsWithin,
                pings,
                handshake,
                rate,
                others);
    }

    /**
     * A limiter of new connections.
     *
     * @param endpoint its name in the log
     * @param rejected runs for each rejected connection
     */
    public ConnectionRateLimiter limiter(String endpoint, Runnable rejected) {
        return new ConnectionRateLimiter(endpoint, connections, System::nanoTime, rejected);
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
