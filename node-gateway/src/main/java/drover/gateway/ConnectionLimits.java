package drover.gateway;

import drover.kit.start.Setting;
import drover.kit.start.Settings;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How fast connections come to the agents' door and how long they last (SECURITY, version floors
 * and settings; invariants H3, I1, I4).
 *
 * @param dials how many a second, of all together; the rest is ended before its handshake
 * @param dialsOfOne how many a second of one address
 * @param age of a connection, after which it ends; its agent is asked to dial again before
 * @param grace what a call has left when its connection is of age
 * @param asks how long a connection may say nothing before it is asked whether its machine is there
 * @param answers the longest time until it says so
 */
public record ConnectionLimits(
        int dials, int dialsOfOne, Duration age, Duration grace, Duration asks, Duration answers) {
    /** The transport asks nobody sooner, whatever it is told. */
    static final Duration LEAST_SILENCE = Duration.ofSeconds(10);

    /**
     * Of 300 handshakes a second, which two processors finish (I1), half are left to others than
     * the one that dials most.
     */
    static final ConnectionLimits STANDARD =
            new ConnectionLimits(
                    300,
                    150,
                    Duration.ofMinutes(45),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(10));

    static final List<Setting> SETTINGS =
            List.of(
                    setting(
                            "max-dials",
                            "COUNT",
                            "New connections a second, of all agents.",
                            STANDARD.dials),
                    setting(
                            "max-dials-of-one",
                            "COUNT",
                            "New connections a second, of one address.",
                            STANDARD.dialsOfOne),
                    setting(
                            "max-age",
                            "SECONDS",
                            "Age at which a connection ends.",
                            STANDARD.age.toSeconds()),
                    setting(
                            "age-grace",
                            "SECONDS",
                            "What its calls have left then.",
                            STANDARD.grace.toSeconds()),
                    setting(
                            "ask-after",
                            "SECONDS",
                            "Silence after which a connection is asked for a sign.",
                            STANDARD.asks.toSeconds()),
                    setting(
                            "max-answer",
                            "SECONDS",
                            "Time until that sign.",
                            STANDARD.answers.toSeconds()));

    /** Refuses, with one sentence, what would not be done. */
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

    /** As somebody set them. */
    static ConnectionLimits of(Settings settings) {
        return new ConnectionLimits(
                settings.positive("max-dials"),
                settings.positive("max-dials-of-one"),
                Duration.ofSeconds(settings.positive("max-age")),
                Duration.ofSeconds(settings.positive("age-grace")),
                Duration.ofSeconds(settings.positive("ask-after")),
                Duration.ofSeconds(settings.positive("max-answer")));
    }

    /** Sets on a real port what the transport itself looks after. */
    void limit(NettyServerBuilder builder) {
        builder.maxConnectionAge(age.toMillis(), TimeUnit.MILLISECONDS)
                .maxConnectionAgeGrace(grace.toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTime(asks.toMillis(), TimeUnit.MILLISECONDS)
                .keepAliveTimeout(answers.toMillis(), TimeUnit.MILLISECONDS);
    }
}
