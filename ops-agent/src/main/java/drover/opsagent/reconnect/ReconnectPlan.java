package drover.opsagent.reconnect;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Which gateway is dialled next and how long before that (I1, I2). A gateway that failed is left
 * for one of the others, drawn by lot so that its agents spread over all of them; none is tried
 * twice before each was tried once.
 *
 * @param gateways how many there are to choose from
 * @param gateway the one to dial, counted from 0
 * @param delay how long to wait before
 * @param failedGateways without a welcome since the last one
 */
public record ReconnectPlan(
        int gateways, int gateway, Duration delay, Set<Integer> failedGateways) {
    /**
     * Between two gateways of one round: whoever comes from a lost session was spread over the
     * whole cap already, and an agent that starts dials at once anyway.
     */
    private static final Duration NEXT_GATEWAY_DELAY = Duration.ofSeconds(5);

    /** What a gateway says is heeded up to this, or one that is captured could silence a fleet. */
    private static final Duration MAX_RETRY_AFTER = Duration.ofMinutes(5);

    /**
     * Whoever is sent away waits at least so long: a gateway that is captured, or the only one
     * there is, could make its agents do nothing but dial.
     */
    private static final Duration MIN_REDIRECT_DELAY = Duration.ofSeconds(1);

    public ReconnectPlan {
        failedGateways = Set.copyOf(failedGateways);
    }

    /**
     * Within what times to dial again; each wait is drawn from zero to its cap.
     *
     * @param reconnect after a loss, and when no gateway answers
     * @param refused after a refusal
     */
    public record DelayCaps(Duration reconnect, Duration refused) {}

    /** Any gateway, at once. */
    public static ReconnectPlan firstAttempt(int gateways, RandomGenerator random) {
        return new ReconnectPlan(gateways, random.nextInt(gateways), Duration.ZERO, Set.of());
    }

    /** What to dial after this one has ended so. */
    public ReconnectPlan planNext(ConnectionEnd end, DelayCaps caps, RandomGenerator random) {
        boolean welcomed =
                end instanceof ConnectionEnd.Disconnected
                        || end instanceof ConnectionEnd.ReconnectElsewhereRequested;
        Set<Integer> failed = new HashSet<>(welcomed ? Set.of() : failedGateways);
        failed.add(gateway);
        boolean allFailed = failed.size() == gateways;
        Set<Integer> avoided = allFailed && gateways > 1 ? Set.of(gateway) : failed;
        List<Integer> choice =
                IntStream.range(0, gateways)
                        .filter(each -> gateways == 1 || !avoided.contains(each))
                        .boxed()
                        .toList();
        return new ReconnectPlan(
                gateways,
                choice.get(random.nextInt(choice.size())),
                reconnectDelay(end, caps, allFailed, random),
                allFailed ? Set.of() : failed);
    }

    private static Duration reconnectDelay(
            ConnectionEnd end, DelayCaps caps, boolean allFailed, RandomGenerator random) {
        return switch (end) {
            case ConnectionEnd.Disconnected(Duration atLeast) ->
                    clampRetryAfter(atLeast).plus(jitter(caps.reconnect(), random));
            case ConnectionEnd.ExpiredCertificateFailed(
                            Duration atLeast) -> // each dial asks others, too
                    clampRetryAfter(atLeast).plus(jitter(caps.reconnect(), random));
            case ConnectionEnd.Unavailable(Duration atLeast) ->
                    allFailed
                            ? clampRetryAfter(atLeast).plus(jitter(caps.reconnect(), random))
                            : jitter(shorter(caps.reconnect(), NEXT_GATEWAY_DELAY), random);
            case ConnectionEnd.Refused(Duration atLeast) ->
                    clampRetryAfter(atLeast).plus(jitter(caps.refused(), random));
            case ConnectionEnd.ReconnectElsewhereRequested(Duration within) ->
                    MIN_REDIRECT_DELAY.plus(jitter(clampRetryAfter(within), random));
        };
    }

    private static Duration clampRetryAfter(Duration requested) {
        return requested.isNegative() ? Duration.ZERO : shorter(requested, MAX_RETRY_AFTER);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Full jitter: every moment up to the cap is as likely. */
    private static Duration jitter(Duration cap, RandomGenerator random) {
        return cap.isPositive() ? Duration.ofNanos(random.nextLong(cap.toNanos())) : Duration.ZERO;
    }
}
