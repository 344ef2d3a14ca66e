package drover.opsagent.dial;

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
 * @param pause how long to wait before
 * @param tried without a welcome since the last one
 */
public record DialPlan(int gateways, int gateway, Duration pause, Set<Integer> tried) {
    /**
     * Between two gateways of one round: whoever comes from a lost session was spread over the
     * whole cap already, and an agent that starts dials at once anyway.
     */
    private static final Duration NEXT_OF_ROUND = Duration.ofSeconds(5);

    /** What a gateway says is heeded up to this, or one that is captured could silence a fleet. */
    private static final Duration LONGEST_HEEDED = Duration.ofMinutes(5);

    /**
     * Whoever is sent away waits at least so long: a gateway that is captured, or the only one
     * there is, could make its agents do nothing but dial.
     */
    private static final Duration LEAST_AWAY = Duration.ofSeconds(1);

    public DialPlan {
        tried = Set.copyOf(tried);
    }

    /**
     * Within what times to dial again; each wait is drawn from zero to its cap.
     *
     * @param reconnect after a loss, and when no gateway answers
     * @param refused after a refusal
     */
    public record Caps(Duration reconnect, Duration refused) {}

    /** Any gateway, at once. */
    public static DialPlan first(int gateways, RandomGenerator random) {
        return new DialPlan(gateways, random.nextInt(gateways), Duration.ZERO, Set.of());
    }

    /** What to dial after this one has ended so. */
    public DialPlan after(DialEnd end, Caps caps, RandomGenerator random) {
        boolean welcomed = end instanceof DialEnd.Lost || end instanceof DialEnd.SentAway;
        Set<Integer> failed = new HashSet<>(welcomed ? Set.of() : tried);
        failed.add(gateway);
        boolean allFailed = failed.size() == gateways;
        Set<Integer> avoided = allFailed && gateways > 1 ? Set.of(gateway) : failed;
        List<Integer> choice =
                IntStream.range(0, gateways)
                        .filter(each -> gateways == 1 || !avoided.contains(each))
                        .boxed()
                        .toList();
        return new DialPlan(
                gateways,
                choice.get(random.nextInt(choice.size())),
                pause(end, caps, allFailed, random),
                allFailed ? Set.of() : failed);
    }

    private static Duration pause(
            DialEnd end, Caps caps, boolean allFailed, RandomGenerator random) {
        return switch (end) {
            case DialEnd.Lost(Duration atLeast) ->
                    heeded(atLeast).plus(upTo(caps.reconnect(), random));
            case DialEnd.LastResort(Duration atLeast) -> // each dial asks others, too
                    heeded(atLeast).plus(upTo(caps.reconnect(), random));
            case DialEnd.Unanswered(Duration atLeast) ->
                    allFailed
                            ? heeded(atLeast).plus(upTo(caps.reconnect(), random))
                            : upTo(shorter(caps.reconnect(), NEXT_OF_ROUND), random);
            case DialEnd.Refused(Duration atLeast) ->
                    heeded(atLeast).plus(upTo(caps.refused(), random));
            case DialEnd.SentAway(Duration within) -> LEAST_AWAY.plus(upTo(heeded(within), random));
        };
    }

    private static Duration heeded(Duration asked) {
        return asked.isNegative() ? Duration.ZERO : shorter(asked, LONGEST_HEEDED);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Full jitter: every moment up to the cap is as likely. */
    private static Duration upTo(Duration cap, RandomGenerator random) {
        return cap.isPositive() ? Duration.ofNanos(random.nextLong(cap.toNanos())) : Duration.ZERO;
    }
}
