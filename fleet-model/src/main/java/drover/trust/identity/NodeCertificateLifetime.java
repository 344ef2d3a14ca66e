package drover.trust.identity;

import java.time.Duration;
import java.time.Instant;

/**
 * How long a node's certificate lasts, and when it is renewed (SECURITY, enrolment 4). Short lives
 * are what revocation rests on where a gateway cannot be told.
 */
public final class NodeCertificateLifetime {
    /** Shorter ones would be renewed all the time. */
    public static final Duration MIN_LIFETIME = Duration.ofHours(1);

    /** A week: a node that was off for longer is enrolled again. */
    public static final Duration MAX_LIFETIME = Duration.ofDays(7);

    /** When nobody says otherwise. */
    public static final Duration DEFAULT_LIFETIME = Duration.ofHours(24);

    /** An agent whose clock is behind by less takes its new certificate at once. */
    public static final Duration BACKDATED = Duration.ofMinutes(5);

    private static final Duration SOONEST_RETRY = Duration.ofSeconds(10);
    private static final Duration LATEST_RETRY = Duration.ofMinutes(15);

    private NodeCertificateLifetime() {}

    /**
     * A life as it was asked for.
     *
     * @throws IllegalArgumentException with one sentence when it is under an hour or over a week
     */
    public static Duration requireValid(Duration life) {
        if (life.compareTo(MIN_LIFETIME) < 0 || life.compareTo(MAX_LIFETIME) > 0) {
            throw new IllegalArgumentException(
                    "A node's certificate lasts between 1 and 168 hours, not "
                            + life.toMinutes()
                            + " minutes.");
        }
        return life;
    }

    /**
     * When to renew first: at a random moment of the third quarter of its life, so that a fleet
     * that was enrolled in one minute is not renewed in one minute; the last quarter is for trying
     * again.
     *
     * @param dice from 0 up to, but without, 1
     */
    public static Instant renewAt(Instant from, Instant until, double dice) {
        Duration half = Duration.between(from, until).dividedBy(2);
        long jitter = (long) (half.dividedBy(2).toMillis() * dice);
        return from.plus(half).plusMillis(jitter);
    }

    /**
     * How long to wait after a renewal failed: at random up to an eighth of what is left, between
     * 10 s and 15 min.
     *
     * @param dice from 0 up to, but without, 1
     */
    public static Duration retryAfter(Instant now, Instant until, double dice) {
        Duration eighth = Duration.between(now, until).dividedBy(8);
        Duration most =
                eighth.compareTo(LATEST_RETRY) > 0
                        ? LATEST_RETRY
                        : eighth.compareTo(SOONEST_RETRY) < 0 ? SOONEST_RETRY : eighth;
        return Duration.ofMillis((long) (most.toMillis() * dice));
    }
}
