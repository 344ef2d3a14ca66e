package drover.opsagent.script;

import java.time.Duration;

/**
 * What an agent does next whose successor has been let start. It never leaves of its own accord.
 */
public sealed interface HandOver {
    /** Both stay for now. */
    record Wait() implements HandOver {}

    /** The successor has ended: let it start once more. */
    record StartAgain() implements HandOver {}

    /** The control plane has heard the successor and says so: leave the node to it. */
    record GiveWay() implements HandOver {}

    /** The successor was not heard in time: it goes, this agent stays. */
    record TurnBack(ReasonCode reason, String detail) implements HandOver {}

    /**
     * What is known in a hand-over.
     *
     * @param alive whether the successor runs
     * @param asked whether the control plane has told this agent to stop
     * @param seen whether the control plane has said that it heard the successor
     * @param heardFor how long the control plane was there since the successor was let start: only
     *     time between acknowledgements counts, so that silence brings nobody to an end
     */
    record Known(boolean alive, boolean asked, boolean seen, Duration heardFor) {}

    /**
     * Decides (seed 001, Failure modes). A stop that comes when the successor has just ended is not
     * followed: it is sent again, and a node without agent is what all this exists to prevent.
     */
    static HandOver next(Known known, Duration patience) {
        if (known.asked() && known.alive()) {
            return new GiveWay();
        }
        if (!known.seen() && known.heardFor().compareTo(patience) >= 0) {
            return new TurnBack(
                    ReasonCode.SUCCESSOR_UNSEEN,
                    "The agent's new version was not heard by the control plane within "
                            + patience.toSeconds()
                            + " s: read its log on the node, then retry.");
        }
        return known.alive() ? new Wait() : new StartAgain();
    }
}
