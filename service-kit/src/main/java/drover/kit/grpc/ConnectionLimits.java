package drover.kit.grpc;

import drover.kit.start.Setting;
import drover.kit.start.Settings;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Rate, number and lifetime of the connections to a gRPC endpoint (SECURITY, version floors and
 * settings; invariants H3, I1, I4).
 *
 * @param dials new connections per second of all sources; the rest is closed before its handshake
 * @param dialsOfOne new connections per second of one source
 * @param most open connections at one time; the rest is closed before its handshake
 * @param age of a connection, after which it ends; an agent is asked to reconnect before
 * @param grace time that the calls of a connection have left when it is of age
 * @param idle time without a call after which a connection ends
 * @param asks time without traffic after which the server pings a connection
 * @param answers time for the response to that ping
 */
public record ConnectionLimits(
        int dials,
        int dialsOfOne,
        int most,
        Duration age,
        Duration grace,
        Duration idle,
        Duration asks,
        Duration answers) {
    /** The transport pings no sooner. */
    public static final Duration LEAST_SILENCE = Duration.ofSeconds(10);

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

    private static final Setting DIALS_OF_ONE_AGENT = dialsOfOne(AGENTS.dialsOfOne);

    /** Settings of the operators' endpoints. */
    public static final List<Setting> OPERATOR_SETTINGS =
            List.of(
                    setting(
                            "max-dials",
                            "COUNT",
                            "New connections a second, of all operators.",
                            OPERATORS.dials),
                    dialsOfOne(OPERATORS.dialsOfOne));

    /** Settings of the agents' endpoints. */
    public static final List<Setting> AGENT_SETTINGS =
            List.of(
                    setting(
                            "max-dials",
                            "COUNT",
                            "New connections a second, of all agents.",
                            AGENTS.dials),
                    DIALS_OF_ONE_AGENT,
                    setting(
                            "max-age",
                            "SECONDS",
                            "Age at which a connection ends.",
                            AGENTS.age.toSeconds()),
                    setting(
                            "age-grace",
                            "SECONDS",
                            "What its calls have left then.",
                            AGENTS.grace.toSeconds()),
                    setting(
                            "ask-after",
                            "SECONDS",
                            "Silence after which a connection is asked for a sign.",
                            AGENTS.asks.toSeconds()),
                    setting(
                            "max-answer",
                            "SECONDS",
                            "Time until that sign.",
                            AGENTS.answers.toSeconds()));

    private static Setting dialsOfOne(int standard) {
        return setting(
                "max-dials-of-one", "COUNT", "New connections a second, of one address.", standard);
    }

    /** Rejects, with one sentence, what the transport does not do. */
    public ConnectionLimits {
        if (asks.compareTo(LEAST_SILENCE) < 0) {
            throw new IllegalArgumentException(
                    "--ask-after is %d, and no connection is asked so soon: write %d or more."
                            .formatted(asks.toSeconds(), LEAST_SILENCE.toSeconds()));
        }
    }

    private static Setting setting(String flag, String value, String help, long standard) {
        return Setting.of(flag, value, help, Long.toString(standard));
    }

    /** The agents' limits as they are set. */
    static ConnectionLimits ofAgents(Settings settings) {
        Duration age = Duration.ofSeconds(settings.positive("max-age"));
        return new ConnectionLimits(
                settings.positive("max-dials"),
                settings.positive("max-dials-of-one"),
                AGENTS.most,
                age,
                Duration.ofSeconds(settings.positive("age-grace")),
                age,
                Duration.ofSeconds(settings.positive("ask-after")),
                Duration.ofSeconds(settings.positive("max-answer")));
    }

    /** The operators' limits as they are set. */
    static ConnectionLimits ofOperators(Settings settings) {
        return new ConnectionLimits(
                settings.positive("max-dials"),
                settings.positive("max-dials-of-one"),
                OPERATORS.most,
                OPERATORS.age,
                OPERATORS.grace,
                OPERATORS.idle,
                OPERATORS.asks,
                OPERATORS.answers);
    }

    /** Sets on a real port what the transport itself enforces. */
    void limit(NettyServerBuilder builder) {
        builder.maxConnectionAge(age.toMillis(), TimeUnit.MILLISECONDS)
                .maxConnectionAgeGrace(grace.toMillis(), TimeUnit.MILLISECONDS)
                .maxConnectionIdle(idle.toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTime(asks.toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(answers.toMillis(), TimeUnit.MILLISECONDS);
    }
}
