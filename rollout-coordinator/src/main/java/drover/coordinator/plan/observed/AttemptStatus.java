package drover.coordinator.plan.observed;

import drover.model.AttemptOutcome;
import drover.model.UpgradePhase;
import org.jspecify.annotations.Nullable;

/**
 * The latest status of a node, as far as decisions need it (rule R2: status, not events).
 *
 * @param action wire name of the action under way; empty when none
 * @param reason stable code of a failure or refusal; empty otherwise
 * @param detail one sentence that explains it
 * @param runningDigest what runs now; empty when nothing does
 * @param handoverReady whether the agent has started its successor and waits to be told to go
 */
public record AttemptStatus(
        long attempt,
        long sequence,
        AttemptOutcome outcome,
        @Nullable UpgradePhase phase,
        String action,
        int percent,
        String reason,
        String detail,
        String runningDigest,
        String configDigest,
        String runId,
        boolean handoverReady) {
    /** A status of work on a program other than the agent itself. */
    public AttemptStatus(
            long attempt,
            long sequence,
            AttemptOutcome outcome,
            @Nullable UpgradePhase phase,
            String action,
            int percent,
            String reason,
            String detail,
            String runningDigest,
            String configDigest,
            String runId) {
        this(
                attempt,
                sequence,
                outcome,
                phase,
                action,
                percent,
                reason,
                detail,
                runningDigest,
                configDigest,
                runId,
                false);
    }
}
