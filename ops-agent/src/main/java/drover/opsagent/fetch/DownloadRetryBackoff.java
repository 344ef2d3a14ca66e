package drover.opsagent.fetch;

import drover.opsagent.journal.Artifact;
import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Retry limit and backoff of one download. A try that advances at the minimum rate resets both. A
 * server that is unavailable is retried until the deadline of the action (decision 0131).
 */
final class DownloadRetryBackoff {
    static final int MAX_TRIES_WITHOUT_PROGRESS = 5;
    static final Duration SHORTEST = Duration.ofMillis(500);
    static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Logger LOG = LoggerFactory.getLogger(DownloadRetryBackoff.class);
    private static final int MAX_DOUBLINGS = 6; // 500 ms to more than the longest
    private final Artifact artifact;
    private final DownloadPolicy policy;
    private final Ticker ticker;
    private final DownloadReceiver received;
    private final Deadline deadline;
    private int withoutProgress;
    private int doublings;
    private long bytesBefore;
    private long nanosBefore;

    DownloadRetryBackoff(
            Artifact artifact,
            DownloadPolicy policy,
            Ticker ticker,
            DownloadReceiver received,
            Deadline deadline) {
        this.artifact = artifact;
        this.policy = policy;
        this.ticker = ticker;
        this.received = received;
        this.deadline = deadline;
        this.bytesBefore = received.peakReceivedBytes();
        this.nanosBefore = ticker.nanos();
    }

    /** Pauses after a transfer that broke, or throws the failure when tries or time are used up. */
    void pauseOrThrowAfterBreak(FetchFailed failure) {
        if (hasProgressed()) {
            withoutProgress = 0;
            doublings = 0;
        } else if (++withoutProgress >= MAX_TRIES_WITHOUT_PROGRESS) {
            throw failure;
        }
        pauseOrThrow(failure, Duration.ZERO);
    }

    /** Pauses for an unavailable server, or throws the failure when time is used up. */
    void pauseOrThrowWhileUnavailable(FetchFailed failure, Duration retryAfter) {
        if (hasProgressed()) {
            withoutProgress = 0;
            doublings = 0;
        }
        pauseOrThrow(failure, retryAfter);
    }

    /** Whether this try brought as much as the minimum rate requires of its time. */
    private boolean hasProgressed() {
        long nanos = Math.max(Duration.ofSeconds(1).toNanos(), ticker.nanos() - nanosBefore);
        long floor = (long) (policy.minBytesPerSecond() * (nanos / 1e9));
        return received.peakReceivedBytes() - bytesBefore >= Math.max(1, floor);
    }

    private void pauseOrThrow(FetchFailed failure, Duration atLeast) {
        if (deadline.hasPassed()) {
            throw DownloadFailureFactory.timedOut(artifact);
        }
        Duration backoff = SHORTEST.multipliedBy(1L << Math.min(doublings++, MAX_DOUBLINGS));
        Duration bounded = backoff.compareTo(LONGEST) < 0 ? backoff : LONGEST;
        long half = bounded.toNanos() / 2;
        Duration jittered = Duration.ofNanos(half + ThreadLocalRandom.current().nextLong(half + 1));
        Duration pause = atLeast.isZero() ? jittered : atLeast.plus(jittered.dividedBy(4));
        if (pause.compareTo(deadline.left()) >= 0) {
            throw failure;
        }
        LOG.info(
                "Download interrupted, retrying pause={}ms reason={}",
                pause.toMillis(),
                failure.getMessage());
        ticker.pause(pause);
        bytesBefore = received.peakReceivedBytes();
        nanosBefore = ticker.nanos(); // after the pause, which is no time of the next try
    }
}
