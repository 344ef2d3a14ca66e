package drover.opsagent.engine;

import drover.opsagent.time.Ticker;
import java.time.Duration;

/**
 * Counts how long the control plane has been there: the time between two acknowledgements of the
 * status, each of which stands for a commit of the leader. Silence adds nothing, however long it
 * lasts, so it ends no hand-over.
 */
final class ControlPlaneTime {
    private static final int BEATS = 12; // of five seconds in a minute

    private final StatusSlot slot;
    private final Ticker ticker;
    private final Duration beat;
    private long beganAt;
    private Duration heard = Duration.ZERO;

    /**
     * Begins to count.
     *
     * @param patience what is counted for, so that acknowledgements are asked for often enough
     */
    ControlPlaneTime(StatusSlot slot, Ticker ticker, Duration patience) {
        this.slot = slot;
        this.ticker = ticker;
        this.beat = patience.dividedBy(BEATS);
        this.beganAt = ticker.nanos();
    }

    /** Looks, asks for the next acknowledgement when it is time, and says what was counted. */
    Duration look() {
        Duration since = Duration.ofNanos(ticker.nanos() - beganAt);
        if (since.compareTo(beat) >= 0 && slot.isAcknowledged()) {
            Duration most = beat.multipliedBy(2); // a longer wait was silence
            heard = heard.plus(since.compareTo(most) > 0 ? most : since);
            beganAt = ticker.nanos();
            slot.beat();
        }
        return heard;
    }
}
