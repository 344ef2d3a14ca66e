package drover.opsagent.docker.engine;

import drover.opsagent.time.Deadline;
import drover.opsagent.time.Ticker;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits for an engine that is being started again: what was asked is asked anew, so it must be
 * repeatable. An engine's restart in the middle of an attempt is no reason to give a node up.
 */
public final class EngineRetry {
    private static final Logger LOG = LoggerFactory.getLogger(EngineRetry.class);
    private static final Duration POLL = Duration.ofMillis(300);

    /**
     * An engine that ends fails in itself for a second or two; a program that cannot start stays
     * so.
     */
    private static final int MAX_ERRORS = 3;

    private static final Duration ERROR_RETRY_INTERVAL = Duration.ofSeconds(1);

    /** Engines take a few seconds to start; a look is not to hold a heartbeat for longer. */
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(10);

    private final Ticker ticker;
    private volatile boolean unavailable;
    private volatile long unavailableSince;

    public EngineRetry(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Does something until it is done, the engine refuses, or the time is up. */
    public <T> T retry(Deadline deadline, Supplier<T> work) {
        int troubles = 0;
        while (true) {
            Duration pause = POLL;
            try {
                T done = work.get();
                unavailable = false;
                return done;
            } catch (EngineFailed e) {
                if (e.isServerError() && ++troubles < MAX_ERRORS) {
                    pause = ERROR_RETRY_INTERVAL;
                } else if (!e.isUnavailable()) {
                    unavailable = false;
                    throw e;
                } else {
                    markUnavailable(e);
                }
                if (deadline.hasPassed()) {
                    throw e;
                }
            }
            ticker.pause(pause);
        }
    }

    /** Looks at something. All looks together wait this long for an engine that is away. */
    public <T> T retryRead(Supplier<T> work) {
        if (!unavailable) {
            return retry(ticker.deadlineIn(READ_TIMEOUT), work);
        }
        Duration removed = Duration.ofNanos(ticker.nanos() - unavailableSince);
        Duration left = READ_TIMEOUT.minus(removed);
        return retry(ticker.deadlineIn(left.isNegative() ? Duration.ZERO : left), work);
    }

    private void markUnavailable(EngineFailed why) {
        if (!unavailable) {
            unavailableSince = ticker.nanos();
            unavailable = true;
            LOG.warn("The engine is away reason={}", why.message());
        }
    }
}
