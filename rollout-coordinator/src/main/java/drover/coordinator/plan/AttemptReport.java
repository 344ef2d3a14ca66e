package drover.coordinator.plan;

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
 */
public record AttemptReport(
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
        String runId) {}
