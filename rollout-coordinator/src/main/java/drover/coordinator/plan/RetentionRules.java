package drover.coordinator.plan;

import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;

/**
 * Decides which ended rollouts are so long past that what was kept of them may go. Never one that
 * can still be rolled back: the latest of its chain and program stays whatever its age, and so does
 * each whose installation stands on any node (DESIGN § 4).
 */
public final class RetentionRules {
    private RetentionRules() {}

    /**
     * What is known of an ended rollout.
     *
     * @param endedAt its end, or that of its group when that came later
     * @param groupActive whether it belongs to a group that has not ended
     * @param latest whether no later rollout of its chain and program has ended
     * @param installedNodes on how many nodes what it installed is still the latest change
     * @param openAttempts attempts that their agents have not closed
     * @param undecided operators' requests that wait
     */
    public record EndedRollout(
            RolloutId id,
            Instant endedAt,
            boolean groupActive,
            boolean latest,
            int installedNodes,
            int openAttempts,
            int undecided) {}

    /** Why a rollout stays whole, or that it need not. */
    public enum RetentionDecision {
        /** Its history and whatever it froze may go. */
        EXPIRED,
        /** It ended not long enough ago. */
        TOO_YOUNG,
        /** Its group is under way. */
        GROUP_ACTIVE,
        /** An agent has still to tell what became of its work. */
        ATTEMPT_OPEN,
        /** A person waits for an answer about it. */
        REQUEST_WAITS,
        /** It is the last that happened to this program of its chain. */
        LATEST,
        /** It can be rolled back. */
        CAN_BE_ROLLED_BACK
    }

    /**
     * Whether a rollout goes, or why it stays.
     *
     * @param keep how long ended rollouts stay whole
     */
    public static RetentionDecision decide(EndedRollout rollout, Instant now, Duration keep) {
        if (rollout.groupActive()) {
            return RetentionDecision.GROUP_ACTIVE;
        }
        if (!rollout.endedAt().isBefore(now.minus(keep))) {
            return RetentionDecision.TOO_YOUNG;
        }
        if (rollout.openAttempts() > 0) {
            return RetentionDecision.ATTEMPT_OPEN;
        }
        if (rollout.undecided() > 0) {
            return RetentionDecision.REQUEST_WAITS;
        }
        if (rollout.latest()) {
            return RetentionDecision.LATEST;
        }
        return rollout.installedNodes() > 0
                ? RetentionDecision.CAN_BE_ROLLED_BACK
                : RetentionDecision.EXPIRED;
    }
}
