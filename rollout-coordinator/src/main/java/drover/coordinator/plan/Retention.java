package drover.coordinator.plan;

import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;

/**
 * Decides which ended rollouts are so long past that what was kept of them may go. Never one that
 * can still be rolled back: the latest of its chain and program stays whatever its age, and so does
 * each whose installation stands on any node (DESIGN § 4).
 */
public final class Retention {
    private Retention() {}

    /**
     * What is known of an ended rollout.
     *
     * @param endedAt its end, or that of its group when that came later
     * @param groupActive whether it belongs to a group that has not ended
     * @param latest whether no later rollout of its chain and program has ended
     * @param standing on how many nodes what it installed is still the latest change
     * @param openAttempts attempts that their agents have not closed
     * @param undecided operators' requests that wait
     */
    public record Ended(
            RolloutId id,
            Instant endedAt,
            boolean groupActive,
            boolean latest,
            int standing,
            int openAttempts,
            int undecided) {}

    /** Why a rollout stays whole, or that it need not. */
    public enum Judgement {
        /** Its history and whatever it froze may go. */
        GOES,
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
        CAN_GO_BACK
    }

    /**
     * Whether a rollout goes, or why it stays.
     *
     * @param keep how long ended rollouts stay whole
     */
    public static Judgement judge(Ended rollout, Instant now, Duration keep) {
        if (rollout.groupActive()) {
            return Judgement.GROUP_ACTIVE;
        }
        if (!rollout.endedAt().isBefore(now.minus(keep))) {
            return Judgement.TOO_YOUNG;
        }
        if (rollout.openAttempts() > 0) {
            return Judgement.ATTEMPT_OPEN;
        }
        if (rollout.undecided() > 0) {
            return Judgement.REQUEST_WAITS;
        }
        if (rollout.latest()) {
            return Judgement.LATEST;
        }
        return rollout.standing() > 0 ? Judgement.CAN_GO_BACK : Judgement.GOES;
    }
}
