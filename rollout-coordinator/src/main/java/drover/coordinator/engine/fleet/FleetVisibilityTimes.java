package drover.coordinator.engine.fleet;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Since when a leader sees the fleet whole, or not (rule R3): while it could commit and every
 * gateway has answered. Its owner guards it with a lock.
 */
final class FleetVisibilityTimes {
    /**
     * Sight that nobody has confirmed for this long is lost: the leader confirms it every second,
     * so ten missed rounds mean that the database was away or this process stood still.
     */
    private static final Duration VALIDITY = Duration.ofSeconds(10);

    private @Nullable Instant completeSince;
    private @Nullable Instant lostSince;
    private @Nullable Instant confirmedAt;

    FleetVisibilityTimes(Instant now) {
        this.lostSince = now;
    }

    /** The leader has just found that it holds the fence and could commit. */
    void confirmFence(boolean answered, Instant now) {
        if (isStale(now)) {
            completeSince = null;
        }
        confirmedAt = now;
        update(answered, now);
    }

    /** The database is away: nothing could be committed, so nothing is seen. */
    void markStoreUnavailable(Instant now) {
        confirmedAt = null;
        update(false, now);
    }

    /**
     * Looks again.
     *
     * @param answered whether every gateway has answered at least once since it was attached
     */
    void update(boolean answered, Instant now) {
        boolean whole = confirmedAt != null && answered;
        if (whole && completeSince == null) {
            completeSince = now;
            lostSince = null;
        } else if (!whole && lostSince == null) {
            lostSince = now;
            completeSince = null;
        }
    }

    /** Null while it is blind. */
    @Nullable Instant completeSince(Instant now) {
        return isStale(now) ? null : completeSince;
    }

    /** Null while it sees. */
    @Nullable Instant lostSince(Instant now) {
        return isStale(now) && lostSince == null ? confirmedAt : lostSince;
    }

    private boolean isStale(Instant now) {
        Instant confirmed = confirmedAt;
        return confirmed == null || now.isAfter(confirmed.plus(VALIDITY));
    }
}
