package drover.opsagent.engine;

import drover.opsagent.time.Ticker;
import java.time.Duration;

/**
 * Counts how long the control plane has been there: the time between two acknowledgements of the
 * status, each of which stands for a commit of the leader. Silence adds nothing, however long it
 * lasts, so it ends no hand-over.
 */
final class ControlPlaneUptimeCounter {
    private static final int INTERVALS = 12; // of five seconds in a minute

    private final StatusSlot slot;
    private final Ticker ticker;
    private final Duration interval;
    private long intervalStart;
    private Duration uptime = Duration.ZERO;

    /**
     * Begins to count.
     *
     * @param timeout what is counted for, so that acknowledgements are asked for often enough
     */
    ControlPlaneUptimeCounter(StatusSlot slot, Ticker ticker, Duration timeout) {
        this.slot = slot;
        this.ticker = ticker;
        this.interval = timeout.dividedBy(INTERVALS);
        this.intervalStart = ticker.nanos();
    }

    /** Looks, asks for the next acknowledgement when it is time, and says what was counted. */
    Duration updateUptime() {
        Duration since = Duration.ofNanos(ticker.nanos() - intervalStart);
        if (since.compareTo(interval) >= 0 && slot.isAcknowledged()) {
            Duration most = interval.multipliedBy(2); // a longer wait was silence
            uptime = uptime.plus(since.compareTo(most) > 0 ? most : since);
            intervalStart = ticker.nanos();
            slot.requestAcknowledgement();
        }
        return uptime;
    }
}
