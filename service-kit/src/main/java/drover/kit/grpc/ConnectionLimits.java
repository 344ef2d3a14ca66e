package drover.kit.grpc;

import drover.kit.config.SettingDefinition;
import drover.kit.config.Settings;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Rate, number and lifetime of the connections to a gRPC endpoint (SECURITY, version floors and
 * settings; invariants H3, I1, I4).
 *
 * @param connectionsPerSecond new connections per second of all sources; the rest is closed before
 *     its handshake
 * @param connectionsPerSecondPerSource new connections per second of one source
 * @param maxConnections open connections at one time; the rest is closed before its handshake
 * @param maxAge of a connection, after which it ends; an agent is asked to reconnect before
 * @param grace time that the calls of a connection have left when it is of age
 * @param idle time without a call after which a connection ends
 * @param keepaliveTime time without traffic after which the server pings a connection
 * @param keepaliveTimeout time for the response to that ping
 */
public record ConnectionLimits(
        int connectionsPerSecond,
        int connectionsPerSecondPerSource,
        int maxConnections,
        Duration maxAge,
        Duration grace,
        Duration idle,
        Duration keepaliveTime,
        Duration keepaliveTimeout) {
    /** The transport pings no sooner. */
    public static final Duration MIN_KEEPALIVE_TIME = Duration.ofSeconds(10);

    private static final int UNLIMITED = Integer.MAX_VALUE;

    /**
     * For agents. Two processors finish 300 handshakes a second (I1); half of them are left to
     * sources other than the most active one. The number of nodes bounds open connections.
     */
    static final ConnectionLimits AGENTS =
            new ConnectionLimits(
                    300,
                    150,
                    UNLIMITED,
                    Duration.ofMinutes(45),
                    Duration.ofSeconds(60),
                    Duration.ofMinutes(45),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(10));

    /** For operators. Calls may last: an event stream ends with its connection. */
    static final ConnectionLimits OPERATORS =
            new ConnectionLimits(
                    100,
                    50,
                    1_024,
                    Duration.ofHours(12),
                    Duration.ofSeconds(60),
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(20));

    /** For machines that enroll, with one call each. */
    static final ConnectionLimits ENROLLMENT =
            new ConnectionLimits(
                    20,
                    10,
                    512,
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(10),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(10));

    private static final SettingDefinition AGENT_CONNECTIONS_PER_SOURCE =
            connectionsPerSecondPerSource(AGENTS.connectionsPerSecondPerSource);

    /** Settings of the operators' endpoints. */
    public static final List<SettingDefinition> OPERATOR_SETTINGS =
            List.of(
                    limitSetting(
                            "max-dials",
                            "COUNT",
                            "New connections a second, of all operators.",
                            OPERATORS.connectionsPerSecond),
                    connectionsPerSecondPerSource(OPERATORS.connectionsPerSecondPerSource));

    /** Settings of the agents' endpoints. */
    public static final List<SettingDefinition> AGENT_SETTINGS =
            List.of(
                    limitSetting(
                            "max-dials",
                            "COUNT",
                            "New connections a second, of all agents.",
                            AGENTS.connectionsPerSecond),
                    AGENT_CONNECTIONS_PER_SOURCE,
                    limitSetting(
                            "max-age",
                            "SECONDS",
                            "Age at which a connection ends.",
                            AGENTS.maxAge.toSeconds()),
                    limitSetting(
                            "age-grace",
                            "SECONDS",
                            "What its calls have left then.",
                            AGENTS.grace.toSeconds()),
                    limitSetting(
                            "ask-after",
                            "SECONDS",
                            "Silence after which a connection is asked for a sign.",
                            AGENTS.keepaliveTime.toSeconds()),
                    limitSetting(
                            "max-answer",
                            "SECONDS",
                            "Time until that sign.",
                            AGENTS.keepaliveTimeout.toSeconds()));

    private static SettingDefinition connectionsPerSecondPerSource(int standard) {
        return limitSetting(
                "max-dials-of-one", "COUNT", "New connections a second, of one address.", standard);
    }

    /** Rejects, with one sentence, what the transport does not do. */
    public ConnectionLimits {
        if (keepaliveTime.compareTo(MIN_KEEPALIVE_TIME) < 0) {
            throw new IllegalArgumentException(
                    "--ask-after is %d, and no connection is asked so soon: write %d or more."
                            .formatted(keepaliveTime.toSeconds(), MIN_KEEPALIVE_TIME.toSeconds()));
        }
    }

    private static SettingDefinition limitSetting(
            String flag, String value, String help, long standard) {
        return SettingDefinition.of(flag, value, help, Long.toString(standard));
    }

    /** The agents' limits as they are set. */
    static ConnectionLimits ofAgents(Settings settings) {
        Duration age = Duration.ofSeconds(settings.positiveInt("max-age"));
        return new ConnectionLimits(
                settings.positiveInt("max-dials"),
                settings.positiveInt("max-dials-of-one"),
                AGENTS.maxConnections,
                age,
                Duration.ofSeconds(settings.positiveInt("age-grace")),
                age,
                Duration.ofSeconds(settings.positiveInt("ask-after")),
                Duration.ofSeconds(settings.positiveInt("max-answer")));
    }

    /** The operators' limits as they are set. */
    static ConnectionLimits ofOperators(Settings settings) {
        return new ConnectionLimits(
                settings.positiveInt("max-dials"),
                settings.positiveInt("max-dials-of-one"),
                OPERATORS.maxConnections,
                OPERATORS.maxAge,
                OPERATORS.grace,
                OPERATORS.idle,
                OPERATORS.keepaliveTime,
                OPERATORS.keepaliveTimeout);
    }

    /** Sets on a real port what the transport itself enforces. */
    void applyTo(NettyServerBuilder builder) {
        builder.maxConnectionAge(maxAge.toMillis(), TimeUnit.MILLISECONDS)
                .maxConnectionAgeGrace(grace.toMillis(), TimeUnit.MILLISECONDS)
                .maxConnectionIdle(idle.toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTime(keepaliveTime.toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(keepaliveTimeout.toMillis(), TimeUnit.MILLISECONDS);
    }
}
