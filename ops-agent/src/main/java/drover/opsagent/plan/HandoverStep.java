package drover.opsagent.plan;

import drover.opsagent.journal.ReasonCode;
import java.time.Duration;

/**
 * What an agent does next whose successor has been let start. It never leaves of its own accord.
 */
public sealed interface HandoverStep {
    /** Both stay for now. */
    record Wait() implements HandoverStep {}

    /** The successor has ended: let it start once more. */
    record RestartSuccessor() implements HandoverStep {}

    /** The control plane has heard the successor and says so: leave the node to it. */
    record Exit() implements HandoverStep {}

    /** The successor was not heard in time: it goes, this agent stays. */
    record StopSuccessorAndCompensate(ReasonCode reason, String detail) implements HandoverStep {}

    /**
     * What is known in a hand-over.
     *
     * @param successorAlive whether the successor runs
     * @param stopRequested whether the control plane has told this agent to stop
     * @param successorConnected whether the control plane has said that it heard the successor
     * @param controlPlaneUptime how long the control plane was there since the successor was let
     *     start: only time between acknowledgements counts, so that silence brings nobody to an end
     */
    record HandoverObservation(
            boolean successorAlive,
            boolean stopRequested,
            boolean successorConnected,
            Duration controlPlaneUptime) {}

    /**
     * Decides (seed 001, Failure modes). A stop that comes when the successor has just ended is not
     * followed: it is sent again, and a node without agent is what all this exists to prevent.
     */
    static HandoverStep next(HandoverObservation known, Duration timeout) {
        if (known.stopRequested() && known.successorAlive()) {
            return new Exit();
        }
        if (!known.successorConnected() && known.controlPlaneUptime().compareTo(timeout) >= 0) {
            return new StopSuccessorAndCompensate(
                    ReasonCode.SUCCESSOR_UNSEEN,
                    "The agent's new version was not heard by the control plane within "
                            + timeout.toSeconds()
                            + " s: read its log on the node.");
        }
        return known.successorAlive() ? new Wait() : new RestartSuccessor();
    }
}
