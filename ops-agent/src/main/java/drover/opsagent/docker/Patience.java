package drover.opsagent.docker;

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
final class Patience {
    private static final Logger LOG = LoggerFactory.getLogger(Patience.class);
    private static final Duration POLL = Duration.ofMillis(300);

    /**
     * An engine that ends fails in itself for a second or two; a program that cannot start stays
     * so.
     */
    private static final int MOST_TROUBLES = 3;

    private static final Duration AFTER_TROUBLE = Duration.ofSeconds(1);

    /** Engines take a few seconds to start; a look is not to hold a heartbeat for longer. */
    private static final Duration LOOK = Duration.ofSeconds(10);

    private final Ticker ticker;
    private volatile boolean away;
    private volatile long awaySince;

    Patience(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Does something until it is done, the engine refuses, or the time is up. */
    <T> T until(Deadline deadline, Supplier<T> work) {
        int troubles = 0;
        while (true) {
            Duration pause = POLL;
            try {
                T done = work.get();
                away = false;
                return done;
            } catch (EngineFailed e) {
                if (e.isTroubled() && ++troubles < MOST_TROUBLES) {
                    pause = AFTER_TROUBLE;
                } else if (!e.isAway()) {
                    away = false;
                    throw e;
                } else {
                    noteAway(e);
                }
                if (deadline.hasPassed()) {
                    throw e;
                }
            }
            ticker.pause(pause);
        }
    }

    /** Looks at something. All looks together wait this long for an engine that is away. */
    <T> T look(Supplier<T> work) {
        if (!away) {
            return until(ticker.in(LOOK), work);
        }
        Duration gone = Duration.ofNanos(ticker.nanos() - awaySince);
        Duration left = LOOK.minus(gone);
        return until(ticker.in(left.isNegative() ? Duration.ZERO : left), work);
    }

    private void noteAway(EngineFailed why) {
        if (!away) {
            awaySince = ticker.nanos();
            away = true;
            LOG.warn("The engine is away reason={}", why.what());
        }
    }
}
